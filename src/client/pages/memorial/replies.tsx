import { useQuery } from '@tanstack/react-query'
import { useContext, useState } from 'react'
import { useParams, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { withAllFields } from '#shared/funeral/gatherings.ts'
import type { MemorialView } from '#shared/memorials/memorials.ts'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import { changeForm, replyForm, withdrawForm } from '#shared/pages/plain-forms.ts'
import type { Reply } from '#shared/replies/replies.ts'
import { isOpenForReplies } from '#shared/replies/reply-times.ts'
import { MemorialError } from '#client/features/memorials/page/memorial-error.tsx'
import { Fold } from '#client/features/replies/fold.tsx'
import { OwnReply } from '#client/features/replies/own-reply.tsx'
import { RefusedReply } from '#client/features/replies/refused-reply.tsx'
import { RepliedGathering } from '#client/features/replies/replied-gathering.tsx'
import { ReplyDone } from '#client/features/replies/reply-done.tsx'
import { ReplyForm } from '#client/features/replies/reply-form.tsx'
import { mayLeaveWords } from '#client/features/replies/may-leave-words.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { PostedFormContext } from '#client/lib/server-rendering.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { LoadingScreen, Page, PageTitle } from '#client/ui/page.tsx'

/** `/memorial/:id/replies`: what this browser has replied to a memorial's gatherings, to change it or take it back. */
export default function RepliesPage() {
  const { id = '' } = useParams()
  const [search] = useSearchParams()
  const invite = search.get('invite') ?? undefined
  const address = { params: { id }, query: invite === undefined ? {} : { invite } }
  const view = useQuery(endpointQuery(api.memorial, address))
  const own = useQuery(endpointQuery(api.ownReplies, address))
  const failed = [view, own].find(({ isError }) => isError)
  if (failed) return <MemorialError error={failed.error} onRetry={() => void failed.refetch()} />
  if (!view.data || !own.data) return <LoadingScreen />
  return <OwnReplies view={view.data} replies={own.data.replies} invite={invite} />
}

function OwnReplies({
  view,
  replies,
  invite,
}: {
  view: MemorialView
  replies: Reply[]
  invite: string | undefined
}) {
  const { memorial } = view
  const funeralEvents = withAllFields(view.funeralEvents)
  const [now] = useState(() => Date.now())
  const refused = useContext(PostedFormContext)?.name
  const action = links.replies(memorial.id, invite)
  const isShown = (eventId: string) => funeralEvents.some(({ id }) => id === eventId)
  const gatherings = funeralEvents
    .map((event) => ({
      event,
      own: replies.filter(({ eventId }) => eventId === event.id),
      isOpen: isOpenForReplies(event, now),
      isRefused: refused === replyForm(event.id),
    }))
    .filter(({ own, isOpen, isRefused }) => own.length > 0 || isOpen || isRefused)
    // What is wrong comes first.
    .toSorted((a, b) => Number(b.isRefused) - Number(a.isRefused))
  const forms = [
    ...gatherings.map(({ event }) => replyForm(event.id)),
    ...replies.flatMap(({ id, eventId }) => [
      withdrawForm(id),
      ...(isShown(eventId) ? [changeForm(id)] : []),
    ]),
  ]
  return (
    <Page width="reading">
      {replies.length > 0 && <div hidden data-words-of={memorial.id} data-has-words="" />}
      <PageTitle>{`Your replies: ${memorial.honoureeFullName}`}</PageTitle>
      <ReplyDone replies={replies} />
      <RefusedReply forms={forms} />
      {replies.length === 0 && !refused && <p>{replyMessages.none}</p>}
      {gatherings.map(({ event, own, isOpen, isRefused }) => (
        <RepliedGathering key={event.id} gathering={event} calendarOf={memorial.id} invite={invite}>
          {own.map((reply) => (
            <OwnReply key={reply.id} reply={reply} gathering={event} action={action} now={now} />
          ))}
          {(isOpen || isRefused) && (
            <Fold
              title={own.length === 0 ? replyMessages.question : 'Reply for somebody else'}
              isOpen={isRefused}
            >
              <ReplyForm
                event={event}
                action={action}
                known={own.length === 0 ? replies.at(-1) : undefined}
                mayLeaveWords={mayLeaveWords(view)}
              />
            </Fold>
          )}
        </RepliedGathering>
      ))}
      {replies
        .filter(({ eventId }) => !isShown(eventId))
        .map((reply) => (
          <OwnReply key={reply.id} reply={reply} gathering={null} action={action} now={now} />
        ))}
      <p>
        <ButtonLink
          to={
            memorial.privacy === 'LOCKED'
              ? links.publicMemorial(memorial.slug)
              : `${links.memorial(memorial.id)}${invite === undefined ? '' : `?invite=${encodeURIComponent(invite)}`}`
          }
          reloadDocument
        >
          Back to the memorial
        </ButtonLink>
      </p>
    </Page>
  )
}
