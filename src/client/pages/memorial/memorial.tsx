import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { useParams, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages/pages.ts'
import type { ContributorSession } from '#shared/invites/invites.ts'
import { isOfFamily, type MemorialView, type News } from '#shared/memorials/memorials.ts'
import { VISITOR_FORM } from '#shared/pages/plain-forms.ts'
import { UnsentMessages } from '#client/features/comments/pending-messages.tsx'
import { isGuestSession, useStoredSession } from '#client/features/invites/contributor-session.ts'
import { InvitationToAdd } from '#client/features/invites/invitation-to-add.tsx'
import { useOwnSession } from '#client/features/invites/own-session.ts'
import { keepOwnSession } from '#client/features/invites/use-contributor.tsx'
import { useGuestSession } from '#client/features/invites/use-guest-session.ts'
import { AdminActions } from '#client/features/memorials/admin-actions.tsx'
import { Contributors } from '#client/features/memorials/contributors/contributors.tsx'
import { DeleteMemorial } from '#client/features/memorials/delete-memorial.tsx'
import { HeldItems, HeldNotice } from '#client/features/memorials/removal/held-items.tsx'
import { MemorialError } from '#client/features/memorials/page/memorial-error.tsx'
import { MemorialSkeleton } from '#client/features/memorials/page/memorial-skeleton.tsx'
import { newBadge, NewsOfVisit, useNewsAtOpening } from '#client/features/memorials/news.tsx'
import { OwnerBar, StoryPrompt } from '#client/features/memorials/owner-bar.tsx'
import { Keepers } from '#client/features/memorials/keepers/keepers.tsx'
import { ReportedItems } from '#client/features/memorials/removal/reported-items.tsx'
import { RemovedItems } from '#client/features/memorials/removal/removed-items.tsx'
import { RepliesList } from '#client/features/replies/replies-list.tsx'
import { repliesFor } from '#client/features/replies/replies.tsx'
import { refreshMemorial } from '#client/lib/refresh.ts'
import { PaymentArrival } from '#client/features/payments/payment-arrival.tsx'
import { ApiError, isCachedAnswer } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { moveMessageDraft } from '#client/lib/offline/message-drafts.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { useSession } from '#client/lib/session.ts'
import { AddFiles, AddWords } from './add-and-ask.tsx'
import { MemorialScreen, type MemorialParts } from './memorial-screen.tsx'
import { ShareTools } from './share-tools.tsx'

/** `/memorial/:id`: for the owner, and for visitors with an invitation (`?invite=`). */
export default function MemorialPage() {
  const { id = '' } = useParams()
  // The token leaves the URL once it has been exchanged; this screen keeps it in state.
  return <MemorialById key={id} id={id} />
}

function MemorialById({ id }: { id: string }) {
  const client = useQueryClient()
  const [search, setSearch] = useSearchParams()
  const [invited] = useState(() => search.get('invite'))
  const stored = useStoredSession(id)
  const invite = invited ?? stored.endedInvite
  const { isLoading: isSessionLoading } = useSession()
  const address = { params: { id }, query: invite === null ? {} : { invite } }
  const options = endpointQuery(api.memorial, address)
  const view = useQuery(options)
  const news = useNewsAtOpening(view.data?.news)

  const needsGuest =
    view.data?.memorial.privacy === 'INVITE' &&
    view.data.viewer.role === 'VISITOR' &&
    invite !== null &&
    stored.session === null
  const { store } = stored
  const onMade = useCallback(
    (made: ContributorSession, token: string) => {
      keepOwnSession(client, made)
      store(made, token)
    },
    [client, store],
  )
  useGuestSession({ needed: needsGuest, inviteToken: invite, onMade })

  // Exchanged for a session, or no longer valid: remove it from the URL, where it could be copied.
  const isDone = (view.isSuccess && !needsGuest) || isRefusal(view.error)
  useEffect(() => {
    if (!isDone || !search.has('invite')) return
    setSearch(
      (before) => {
        const after = new URLSearchParams(before)
        after.delete('invite')
        return after
      },
      { replace: true },
    )
  }, [isDone, search, setSearch])

  // The server rejects the stored session: delete it, and try the link that created it once more.
  const { session, endedInvite, remove } = stored
  const isOver = session !== null && isRefusal(view.error)
  // Shown through the link although a named session was sent. Skip a session created on this screen after that response, and a
  // response from this device's cache, which may be older than the session.
  const [atOpening] = useState(session)
  const isEnded =
    session !== null &&
    session === atOpening &&
    !isGuestSession(session) &&
    view.data !== undefined &&
    !isCachedAnswer(view.data) &&
    view.data.memorial.privacy === 'INVITE' &&
    view.data.viewer.role === 'VISITOR'
  useEffect(() => {
    if (isOver || isEnded) remove()
  }, [isOver, isEnded, remove])
  const isLinkDead = endedInvite !== null && isRefusal(view.error)

  // The cookie decides: they may be known again as somebody else since this device stored a session.
  const isContributor = view.data?.memorial.privacy === 'INVITE' && view.data.viewer.role === 'CONTRIBUTOR'
  const own = useOwnSession(id, session?.contributorId ?? null, isContributor && session !== null).data
  const isOther = own !== undefined && session !== null && own.contributorId !== session.contributorId
  useEffect(() => {
    if (!isOther || !own || !session) return
    if (isGuestSession(session)) moveMessageDraft(session.contributorId, own.contributorId, id)
    store(own, session.inviteToken)
  }, [id, isOther, own, session, store])

  const refresh = useCallback(() => void refreshMemorial(client, id), [client, id])

  if (view.isError && !view.data && !isOver)
    return (
      <>
        <MemorialError
          error={view.error}
          askPath={isInvitationNeeded(view.error) ? fillPath(paths.askIn, { id }) : null}
          isLinkDead={isLinkDead}
          onRetry={() => void view.refetch()}
        />
        <UnsentMessages memorialId={id} />
      </>
    )
  if (!view.data || isSessionLoading) return <MemorialSkeleton />
  return (
    <MemorialScreen
      view={view.data}
      stored={stored}
      inviteToken={invite}
      parts={partsFor(
        view.data,
        news,
        search.get('payment') === 'success' ? search.get('paymentId') : null,
        refresh,
      )}
      onChanged={refresh}
    />
  )
}

/** `news`: at the opening of the screen. `paymentId`: the payment that the user returns from, according to the URL. */
function partsFor(
  view: MemorialView,
  news: News | null,
  paymentId: string | null,
  onChanged: () => void,
): MemorialParts {
  const { memorial, viewer, funeralEvents } = view
  const renderReplies = repliesFor(view)
  const removed = <RemovedItems memorialId={memorial.id} />
  const isOwner = viewer.role === 'OWNER'
  const visit = isOfFamily(viewer.role) && <NewsOfVisit memorialId={memorial.id} news={news} />
  const seesKeepers = isOfFamily(viewer.role) || viewer.role === 'ADMIN'
  const keepers = seesKeepers && <Keepers memorial={memorial} role={viewer.role} />
  if (!viewer.canEdit) {
    const mayRemove = viewer.canContribute
    // The form itself stands on the public page, whose address holds no secret.
    const visitorForm = (
      <p>
        <a href={`${links.publicMemorial(memorial.slug)}#${VISITOR_FORM}`}>Leave a message</a>
      </p>
    )
    return {
      Composer: AddWords,
      AddMedia: AddFiles,
      Invitation: InvitationToAdd,
      renderReplies,
      visitorForm,
      foot: (mayRemove || keepers) && (
        <>
          {keepers && <HeldItems memorialId={memorial.id} isPrivate={memorial.privacy === 'PRIVATE'} />}
          {keepers && <ReportedItems memorialId={memorial.id} />}
          {mayRemove && removed}
          {keepers}
        </>
      ),
      ...(keepers && {
        ownerBar: (
          <>
            {visit}
            <HeldNotice memorialId={memorial.id} />
          </>
        ),
        newBadge: newBadge(news),
      }),
    }
  }
  return {
    Composer: AddWords,
    AddMedia: AddFiles,
    notice: paymentId !== null && (
      <PaymentArrival paymentId={paymentId} isPrivate={memorial.privacy === 'PRIVATE'} />
    ),
    ownerBar: (
      <>
        {visit}
        <HeldNotice memorialId={memorial.id} />
        <OwnerBar memorial={memorial} mayAdd={viewer.canContribute} onChanged={onChanged} />
      </>
    ),
    newBadge: newBadge(news),
    storyPrompt: <StoryPrompt memorial={memorial} />,
    tools: viewer.role !== 'ADMIN' && (
      <>
        <ShareTools memorial={memorial} />
        {isOwner && <AdminActions id="team" memorialId={memorial.id} />}
      </>
    ),
    foot: (
      <>
        <HeldItems memorialId={memorial.id} isPrivate={memorial.privacy === 'PRIVATE'} />
        <RepliesList memorialId={memorial.id} events={funeralEvents} />
        <ReportedItems memorialId={memorial.id} />
        <Contributors memorial={memorial} />
        {keepers}
        {removed}
        {isOwner && <DeleteMemorial memorial={memorial} />}
      </>
    ),
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 403 || error.status === 404)
}

/** Whether its family may take requests to be let in: the app doesn't know, the form answers everybody alike. */
function isInvitationNeeded(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'invitation_needed'
}
