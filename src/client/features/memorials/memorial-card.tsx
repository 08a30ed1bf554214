import { initialsOf } from '#shared/page-titles.ts'
import { PRICE_TEXT } from '#shared/limits.ts'
import type { DashboardMemorial } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import { copyText } from '#client/lib/copy-text.ts'
import { formatDate } from '#client/lib/dates.ts'
import { links, mediaPath } from '#client/lib/links.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { NewsLine } from './news.tsx'
import { PrivacyPill } from './privacy-pill.tsx'
import { useVisibility } from './use-visibility.tsx'
import styles from './memorial-card.module.css'

export function MemorialCard({ memorial }: { memorial: DashboardMemorial }) {
  const photoId = memorial.profileMediaId ?? memorial.coverMediaId
  const isPublic = memorial.privacy === 'LOCKED'
  const publicLink = window.location.origin + links.publicMemorial(memorial.slug)
  const visibility = useVisibility(memorial)
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
        <NewsLine news={memorial.news} />
      </div>
      <div className={`row spread ${styles.foot}`}>
        <PrivacyPill privacy={memorial.privacy} />
        <div className="row">
          {!memorial.isPaid && (
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
            variant="primary"
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
