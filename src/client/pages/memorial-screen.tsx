import { useState } from 'react'
import type { CommentPage } from '#shared/comments.ts'
import type { MediaPage } from '#shared/media.ts'
import type { MemorialView } from '#shared/memorials.ts'
import { Guestbook } from '#client/features/comments/guestbook.tsx'
import { FuneralCard } from '#client/features/funeral/funeral-card.tsx'
import { isUpcoming } from '#client/features/funeral/service-times.ts'
import { ShareCard } from '#client/features/invites/share-card.tsx'
import { useContributor } from '#client/features/invites/use-contributor.tsx'
import type { useKeptSession } from '#client/features/invites/use-kept-session.ts'
import { LocationCard } from '#client/features/location/location-card.tsx'
import { QrButton } from '#client/features/location/qr-button.tsx'
import { Gallery } from '#client/features/media/gallery.tsx'
import { AdminDeeds } from '#client/features/memorials/admin-deeds.tsx'
import { DeleteMemorial } from '#client/features/memorials/delete-memorial.tsx'
import { Hero } from '#client/features/memorials/hero.tsx'
import { JumpBar } from '#client/features/memorials/jump-bar.tsx'
import { LifeStory } from '#client/features/memorials/life-story.tsx'
import { OwnerBar } from '#client/features/memorials/owner-bar.tsx'
import { StoryPrompt } from '#client/features/memorials/story-prompt.tsx'
import { PaymentArrival } from '#client/features/payments/payment-arrival.tsx'
import { useMediaQuery } from '#client/lib/media-query.ts'
import { Notice } from '#client/ui/notice.tsx'
import styles from './memorial-screen.module.css'

/** A memorial as it is read: the person first, then the funeral while it is to come, the story, pictures, messages. */
export function MemorialScreen({
  view,
  kept,
  inviteToken,
  firstMedia,
  firstComments,
  paymentId = null,
  withOwnerTools = false,
  onChanged,
}: {
  view: MemorialView
  kept: ReturnType<typeof useKeptSession>
  inviteToken: string | null
  firstMedia?: MediaPage
  firstComments?: CommentPage
  /** Arrived from this payment, as the address says. */
  paymentId?: string | null
  withOwnerTools?: boolean
  onChanged: () => void
}) {
  const { memorial, funeralEvents: events, location, viewer } = view
  const { contributor, dialog } = useContributor(view, kept, inviteToken, onChanged)
  const [now] = useState(() => Date.now())
  const isWide = useMediaQuery('(min-width: 60rem)')
  const isOwner = withOwnerTools && viewer.canEdit
  const hasFuneral = events.length > 0
  const isFuneralAhead = events.some((event) => isUpcoming(event, now))

  const { invite } = contributor
  const funeral = hasFuneral && (
    <FuneralCard id="funeral" events={events} memorialId={memorial.id} invite={invite} now={now} />
  )
  const tools = (
    <>
      {location && (
        <LocationCard id="location" memorialId={memorial.id} location={location} invite={invite} />
      )}
      {viewer.role === 'OWNER' && (
        <ShareCard id="share" memorial={memorial}>
          <QrButton memorialId={memorial.id} slug={memorial.slug} />
        </ShareCard>
      )}
      {withOwnerTools && viewer.role === 'OWNER' && <AdminDeeds id="team" memorialId={memorial.id} />}
    </>
  )
  const story = (memorial.lifeStory || isOwner) && (
    <section id="story" aria-labelledby="story-title">
      <h2 id="story-title" className={styles['heading']}>
        Life Story
      </h2>
      {memorial.lifeStory ? <LifeStory html={memorial.lifeStory} /> : <StoryPrompt memorial={memorial} />}
    </section>
  )
  const targets = [
    { id: 'story', label: 'Life Story', isThere: Boolean(story) },
    { id: 'photos', label: 'Gallery', isThere: true },
    { id: 'funeral', label: 'Funeral', isThere: hasFuneral },
    { id: 'messages', label: 'Guestbook', isThere: true },
  ].filter(({ isThere }) => isThere)
  const side = isWide && (hasFuneral || location !== null || viewer.role === 'OWNER') && (
    <aside className={styles['side']} aria-label="Details">
      {funeral}
      {tools}
    </aside>
  )
  const place = (isShown: boolean) =>
    isShown && !isWide && funeral && <div className={styles['inline']}>{funeral}</div>

  return (
    <>
      {isOwner && paymentId !== null && (
        <div className={styles['notice']}>
          <PaymentArrival paymentId={paymentId} isPrivate={memorial.privacy === 'PRIVATE'} />
        </div>
      )}
      {viewer.role === 'ADMIN' && (
        <div className={styles['notice']}>
          <Notice>
            <p>
              You see this memorial as an admin of this site. What you change is recorded and shown to its
              owner.
            </p>
          </Notice>
        </div>
      )}
      {viewer.role === 'CONTRIBUTOR' && memorial.privacy === 'LOCKED' && (
        <div className={styles['notice']}>
          <Notice>
            <p>The family has locked this memorial. It can be seen by anyone, and nobody can add to it.</p>
          </Notice>
        </div>
      )}
      <Hero memorial={memorial} placeholder={view.portraitPlaceholder} invite={invite}>
        {isOwner && <OwnerBar memorial={memorial} mayAdd={viewer.canContribute} onChanged={onChanged} />}
      </Hero>
      <JumpBar targets={targets} />
      <div className={styles['body']}>
        {isFuneralAhead && side}
        {place(isFuneralAhead)}
        <div className={styles['main']}>
          {story}
          {place(!isFuneralAhead)}
          <Gallery
            id="photos"
            memorialId={memorial.id}
            portraitId={memorial.profileMediaId}
            contributor={contributor}
            first={firstMedia}
          />
          <Guestbook
            id="messages"
            memorialId={memorial.id}
            contributor={contributor}
            audience={
              memorial.privacy === 'PRIVATE'
                ? 'Only you can read it until you share the memorial.'
                : 'Everyone with the link can read it; the family may later make the memorial public.'
            }
            first={firstComments}
          />
        </div>
        {!isFuneralAhead && side}
        {!isWide && <div className={styles['tools']}>{tools}</div>}
      </div>
      {viewer.role === 'OWNER' && withOwnerTools && <DeleteMemorial memorial={memorial} />}
      {dialog}
    </>
  )
}
