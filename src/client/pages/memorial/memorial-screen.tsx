import { useLocation } from 'react-router-dom'
import { Suspense, type ComponentType, type ReactNode } from 'react'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import { GATHERINGS_SHEET, PRINT } from '#shared/funeral/gatherings-sheet.ts'
import { arrange, withAllFields } from '#shared/funeral/gatherings.ts'
import { GATHERINGS_SHOWN } from '#shared/limits.ts'
import type { Media, MediaPage } from '#shared/media/media.ts'
import type { MemorialView } from '#shared/memorials/memorials.ts'
import { offlineMessages } from '#shared/pages/offline-messages.ts'
import { Guestbook, type ComposerComponent } from '#client/features/comments/guestbook.tsx'
import { FuneralCard, titleOf } from '#client/features/funeral/funeral-card.tsx'
import { GatheringsSheet } from '#client/features/funeral/gatherings-sheet.tsx'
import type { RenderReplies } from '#client/features/funeral/gathering.tsx'
import type { useStoredSession } from '#client/features/invites/contributor-session.ts'
import { useContributor } from '#client/features/invites/use-contributor.tsx'
import { LocationCard } from '#client/features/location/location-card.tsx'
import { Gallery, type AddMediaComponent } from '#client/features/media/gallery.tsx'
import { AskFamily } from '#client/features/memorials/ask-family.tsx'
import { Hero } from '#client/features/memorials/page/hero.tsx'
import { JumpBar } from '#client/features/memorials/page/jump-bar.tsx'
import { LifeStory } from '#client/features/memorials/page/life-story.tsx'
import type { Contributor } from '#client/lib/contributor.ts'
import { codePath, links } from '#client/lib/links.ts'
import { useOffline } from '#client/lib/offline/use-offline.ts'
import { useOwnOrigin } from '#client/lib/server-rendering.ts'
import { useOpenedAt } from '#client/lib/use-now.ts'
import { Notice } from '#client/ui/notice.tsx'
import styles from './memorial-screen.module.css'

/** Parts of the page that only some viewers see; visitors of a public memorial don't load them. */
export type MemorialParts = {
  /** Above everything. */
  notice?: ReactNode
  /** Below the name. */
  ownerBar?: ReactNode
  /** In its place, for people with an invitation who may add. */
  Invitation?: ComponentType<{ memorialId: string; contributor: Contributor }>
  /** The forms for a message and for files, if they come with the screen. */
  Composer?: ComposerComponent
  /** For visitors of the public page, where the family lets them leave messages. */
  visitorForm?: ReactNode
  AddMedia?: AddMediaComponent
  /** In the card of each gathering that takes replies. */
  renderReplies?: RenderReplies | undefined
  /** Marks what is new to the owner; null for everything else. */
  newBadge?: (item: Media | Comment) => ReactNode
  /** Replaces the life story while there is none. */
  storyPrompt?: ReactNode
  /** With the location. */
  tools?: ReactNode
  /** Below everything. */
  foot?: ReactNode
}

const NO_PARTS: MemorialParts = {}

type ScreenProps = {
  view: MemorialView
  stored: ReturnType<typeof useStoredSession>
  inviteToken: string | null
  firstMedia?: MediaPage
  firstComments?: CommentPage
  parts?: MemorialParts
  onChanged: () => void
}

/** A memorial, or the sheet of its gatherings if the address asks for that. */
export function MemorialScreen({ view: given, ...rest }: ScreenProps) {
  const view = { ...given, funeralEvents: withAllFields(given.funeralEvents) }
  const { memorial, funeralEvents } = view
  const { pathname, search } = useLocation()
  const query = new URLSearchParams(search)
  if (query.get(PRINT) !== GATHERINGS_SHEET) return <WholeMemorial view={view} {...rest} />
  query.delete(PRINT)
  const back = query.size === 0 ? pathname : `${pathname}?${query.toString()}`
  return <GatheringsSheet memorial={memorial} events={funeralEvents} back={back} />
}

/** The honouree first, then what gathers people now, story, media, guestbook, and what is over. */
function WholeMemorial({
  view,
  stored,
  inviteToken,
  firstMedia,
  firstComments,
  parts = NO_PARTS,
  onChanged,
}: ScreenProps) {
  const { memorial, funeralEvents: events, location, viewer } = view
  const { contributor, dialog } = useContributor(view, stored, inviteToken, onChanged)
  const origin = useOwnOrigin()
  const openedAt = useOpenedAt()
  const hasFuneral = events.length > 0
  const { isFirst } = arrange(events, openedAt)
  const { pathname } = useLocation()

  const { invite } = contributor
  const funeral = hasFuneral && (
    <FuneralCard
      id="funeral"
      events={events}
      memorialId={memorial.id}
      invite={invite}
      renderReplies={parts.renderReplies}
      openedAt={openedAt}
      feedInvite={memorial.privacy === 'LOCKED' ? undefined : (stored.session?.inviteToken ?? inviteToken)}
      printPath={sheetPath(pathname, invite)}
    />
  )
  const story = (memorial.lifeStory || parts.storyPrompt) && (
    <section id="story" className={styles.story} aria-labelledby="story-title">
      <h2 id="story-title" className={styles.heading}>
        Life Story
      </h2>
      {memorial.lifeStory ? <LifeStory html={memorial.lifeStory} /> : parts.storyPrompt}
    </section>
  )
  const targets = [
    ...(story ? [{ id: 'story', label: 'Life Story' }] : []),
    { id: 'photos', label: 'Gallery' },
    ...(hasFuneral ? [{ id: 'funeral', label: titleOf(events) }] : []),
    { id: 'messages', label: 'Guestbook' },
  ]
  const isReader = viewer.role === 'VISITOR' || viewer.role === 'CONTRIBUTOR'
  const isOpenToVisitors = memorial.privacy === 'LOCKED' && memorial.visitorMessages !== 'NOBODY'
  // A visitor who left words on the public page may do there what every stranger may.
  const isInvited = viewer.role === 'CONTRIBUTOR' && !viewer.isVisitor
  const viewerNotice =
    viewer.role === 'ADMIN'
      ? 'You see this memorial as an admin of this site. What you change is recorded and shown to its owner.'
      : isInvited &&
        memorial.privacy === 'LOCKED' &&
        (isOpenToVisitors
          ? 'The family has locked this memorial. It can be seen by anyone, and visitors can leave messages.'
          : 'The family has locked this memorial. It can be seen by anyone, and nobody can add to it.')
  const hasTools = location !== null || parts.tools
  // On the public page the owner's tools come late, and must not move the story.
  const isBeside =
    (hasFuneral || hasTools) && fitsBeside(view, openedAt, Boolean(parts.tools && parts.ownerBar))

  return (
    <>
      <OfflineLine mayWrite={contributor.mayAdd} />
      {parts.notice && (
        <div className={styles.notice} data-print="no">
          {parts.notice}
        </div>
      )}
      {viewerNotice && (
        <div className={styles.notice} data-print="no">
          <Notice>
            <p>{viewerNotice}</p>
            {isInvited && <p>You can still remove what you added.</p>}
          </Notice>
        </div>
      )}
      <Hero memorial={memorial} placeholder={view.portraitPlaceholder} invite={invite}>
        {parts.ownerBar && <div data-print="no">{parts.ownerBar}</div>}
        {parts.Invitation && contributor.mayAdd && contributor.sender === 'contributor' && (
          <div data-print="no">
            <Suspense>
              <parts.Invitation memorialId={memorial.id} contributor={contributor} />
            </Suspense>
          </div>
        )}
      </Hero>
      <JumpBar targets={targets} />
      <div className={`${styles.body} ${isBeside ? styles.beside : ''}`}>
        {/* DOM order for screen readers and phones: an upcoming funeral first. Wide screens put it beside the story. */}
        {isFirst && <div className={styles.funeral}>{funeral}</div>}
        {story}
        {!isFirst && funeral && <div className={styles.funeral}>{funeral}</div>}
        <Gallery
          id="photos"
          memorialId={memorial.id}
          portraitId={memorial.profileMediaId}
          contributor={contributor}
          newBadge={parts.newBadge}
          first={firstMedia}
          AddMedia={parts.AddMedia}
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
          newBadge={parts.newBadge}
          first={firstComments}
          Composer={parts.Composer}
          visitorForm={isOpenToVisitors && !viewer.canEdit && parts.visitorForm}
        />
        {hasTools && (
          <aside className={styles.tools} aria-label="Details">
            {location && (
              <LocationCard id="location" memorialId={memorial.id} location={location} invite={invite} />
            )}
            {parts.tools}
          </aside>
        )}
      </div>
      {memorial.privacy === 'LOCKED' && (
        <div data-print="only" className={styles.address}>
          <img src={codePath(memorial.slug)} width={150} height={150} alt="" loading="lazy" />
          <p>
            Every photograph, video, voice and message is at {origin + links.publicMemorial(memorial.slug)}
          </p>
        </div>
      )}
      {memorial.privacy !== 'PRIVATE' && viewer.role !== 'ADMIN' && (
        <p className={`tall-links ${styles.notice}`} data-print="no">
          <a href={followPath(memorial.id, invite)}>
            {isReader ? 'Get emails about this memorial' : 'Emails about this memorial'}
          </a>
        </p>
      )}
      {memorial.privacy === 'LOCKED' && (viewer.role === 'VISITOR' || viewer.isVisitor) && (
        <AskFamily memorial={memorial} />
      )}
      {parts.foot && <div data-print="no">{parts.foot}</div>}
      {dialog}
    </>
  )
}

function followPath(id: string, invite: string | undefined): string {
  return `${links.memorial(id)}/follow${invite ? `?invite=${encodeURIComponent(invite)}` : ''}`
}

function sheetPath(pathname: string, invite: string | undefined): string {
  const query = new URLSearchParams({ [PRINT]: GATHERINGS_SHEET, ...(invite && { invite }) })
  return `${pathname}?${query.toString()}`
}

/** A wide page may be empty below its story for this many pixels, while the cards beside it go on. */
const EMPTY_MAX = 400

/** Whether a wide page shows the cards beside the story: not if there is none, or they are much longer. Heights are estimates in pixels. */
function fitsBeside(
  { memorial, funeralEvents, location }: MemorialView,
  openedAt: number,
  hasTools: boolean,
): boolean {
  const { upcoming, past, isFolded } = arrange(funeralEvents, openedAt)
  const { length } = memorial.lifeStory ?? ''
  const storyHeight = 80 + Math.min(900, length * 0.7)
  const pastHeight = isFolded ? 60 : past.length * 150
  const funeralHeight =
    funeralEvents.length > 0 ? 60 + Math.min(upcoming.length, GATHERINGS_SHOWN) * 300 + pastHeight : 0
  const cardsHeight = funeralHeight + (location ? 400 : 0) + (hasTools ? 350 : 0)
  return length > 0 && cardsHeight - storyHeight < EMPTY_MAX
}

/** A notice while offline; with `mayWrite`, also that messages are sent later. The small script shows it too. */
function OfflineLine({ mayWrite }: { mayWrite: boolean }) {
  const offline = useOffline()
  return (
    <p className={`small-muted ${styles.offline}`} role="status" data-offline-line hidden={!offline}>
      {mayWrite ? offlineMessages.line : offlineMessages.lineOfReader}
    </p>
  )
}
