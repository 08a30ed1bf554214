import { initialsOf } from '#shared/pages/page-titles.ts'
import type { ReactNode } from 'react'
import { PRICE_TEXT } from '#shared/limits.ts'
import type { DashboardMemorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { copyText } from '#client/lib/browser/copy-text.ts'
import { formatDate } from '#client/lib/dates.ts'
import { links, mediaPath } from '#client/lib/links.ts'
import { nextStep, skippedSteps } from '#client/lib/setup-steps.ts'
import { Link } from 'react-router-dom'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { hasNews, NewsLine } from '../news.tsx'
import { PrivacyPill } from '../privacy-pill.tsx'
import { useVisibility } from '../use-visibility.tsx'
import styles from './memorial-card.module.css'

/** A memorial on the dashboard. `hasCredit`: a payment waits, so nothing is to pay. `send`: sends the link of a shared memorial. */
export function MemorialCard({
  memorial,
  hasCredit,
  send,
}: {
  memorial: DashboardMemorial
  hasCredit: boolean
  send: ReactNode
}) {
  const photoId = memorial.coverMediaId ?? memorial.profileMediaId
  const next = nextStep(memorial, skippedSteps(memorial.ownerId, memorial.id))
  const isPublic = memorial.privacy === 'LOCKED'
  const publicLink = window.location.origin + links.publicMemorial(memorial.slug)
  const visibility = useVisibility(memorial)
  const isNews = hasNews(memorial.news)
  return (
    <article className={`surface ${styles.card}`}>
      {photoId ? (
        <img
          className={styles.picture}
          src={mediaPath(photoId, 320)}
          width={72}
          height={90}
          alt=""
          loading="lazy"
        />
      ) : (
        <div className={`${styles.picture} ${styles.initials}`} aria-hidden="true">
          {initialsOf(memorial.honoureeFullName)}
        </div>
      )}
      <div>
        <h2 className={styles.name}>{memorial.honoureeFullName}</h2>
        {memorial.title && <p className={styles.title}>“{memorial.title}”</p>}
        <p className={`small-muted ${styles.meta}`}>
          <span>
            Created <time dateTime={memorial.createdAt}>{formatDate(memorial.createdAt)}</time>
          </span>
          {memorial.lockedAt && (
            <span>
              Published <time dateTime={memorial.lockedAt}>{formatDate(memorial.lockedAt)}</time>
            </span>
          )}
        </p>
        <NewsLine memorialId={memorial.id} news={memorial.news} />
      </div>
      {memorial.removedOn && (
        <p className={styles.ends}>
          Not paid for yet. We’ll remove it on{' '}
          <time dateTime={memorial.removedOn}>{formatDate(memorial.removedOn)}</time>. Open it to keep it.
        </p>
      )}
      {next && (
        <Link
          className={styles.next}
          to={`${links.editMemorial(memorial.id)}?step=${next.step}`}
          aria-label={`Next: ${next.name}, for ${memorial.honoureeFullName}`}
          reloadDocument
        >
          Next: {next.name}
        </Link>
      )}
      {(isNews || memorial.privacy !== 'PRIVATE') && (
        <div className={`row ${styles.foot} ${styles.main}`}>
          {isNews && (
            <ButtonLink
              variant="primary"
              to={links.news(memorial.id)}
              aria-label={`See what is new: ${memorial.honoureeFullName}`}
            >
              See what is new
            </ButtonLink>
          )}
          {memorial.privacy !== 'PRIVATE' && send}
        </div>
      )}
      <div className={`row spread ${styles.foot}`}>
        <PrivacyPill privacy={memorial.privacy} />
        <div className="row">
          {!memorial.isPaid && !hasCredit && (
            <ButtonLink to={links.checkout(memorial.id)} reloadDocument>
              Pay {PRICE_TEXT}
            </ButtonLink>
          )}
          {isPublic && (
            <Button
              onClick={() => void copyText(publicLink, messages.share.linkCopied, publicLink)}
              aria-label={`Share ${memorial.honoureeFullName}`}
            >
              Share
            </Button>
          )}
          <ButtonLink
            {...(memorial.privacy === 'PRIVATE' && !isNews && { variant: 'primary' })}
            to={links.memorial(memorial.id)}
            aria-label={`View ${memorial.honoureeFullName}`}
          >
            View
          </ButtonLink>
          {visibility.button}
        </div>
      </div>
      {visibility.notice}
    </article>
  )
}
