import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { api } from '#shared/api.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { nameOf, withAllFields } from '#shared/funeral/gatherings.ts'
import { replyListMessages } from '#shared/replies/reply-list-messages.ts'
import type { Reply, ReplyCounts } from '#shared/replies/replies.ts'
import { call, pathOf } from '#client/lib/call.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { cursorQuery } from '#client/lib/query-client.ts'
import { showFailure } from '#client/lib/toast-store.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { ActionFailed, LoadError } from '#client/ui/notice.tsx'
import { Loading, Skeleton } from '#client/ui/page.tsx'
import { Fold } from './fold.tsx'
import { Said } from './own-reply.tsx'
import { refreshReplyCounts, replyCountsQuery, replyCountsText } from './reply-counts.ts'
import { TellChanges } from './tell-changes.tsx'
import styles from './replies-list.module.css'

const { removeText, removeTitle, removeFailed, listFailed, moreFailed, noReplies, privateNote } =
  replyListMessages

/** For editors: who comes to which gathering. Renders nothing while no gathering takes replies and none has any. */
export function RepliesList({
  memorialId,
  events: given,
}: {
  memorialId: string
  events: readonly FuneralEvent[]
}) {
  const events = withAllFields(given)
  const { data, error, refetch } = useQuery({ ...replyCountsQuery(memorialId), enabled: events.length > 0 })
  if (!data && error && events.some(({ takesReplies }) => takesReplies))
    return <LoadError title={listFailed} error={error} onRetry={() => void refetch()} />
  const shown = events.flatMap((event) => {
    const counts = data?.counts.find(({ eventId }) => eventId === event.id)
    const isShown = counts && (event.takesReplies || counts.coming + counts.afar + counts.sorry > 0)
    return isShown ? [{ event, counts }] : []
  })
  if (shown.length === 0) return null
  return (
    <section className={styles.section} aria-labelledby="replies">
      <h2 id="replies" tabIndex={-1}>
        Who is coming
      </h2>
      <p className="small-muted">{privateNote}</p>
      <TellChanges memorialId={memorialId} events={shown.map(({ event }) => event)} />
      {shown.map(({ event, counts }) => (
        <RepliesTo key={event.id} memorialId={memorialId} event={event} counts={counts} />
      ))}
    </section>
  )
}

function RepliesTo({
  memorialId,
  event,
  counts,
}: {
  memorialId: string
  event: FuneralEvent
  counts: ReplyCounts
}) {
  const name = nameOf(event)
  const params = { id: memorialId, eventId: event.id }
  const isEmpty = counts.coming + counts.afar + counts.sorry === 0
  return (
    <div className={styles.gathering}>
      <h3>{name}</h3>
      {isEmpty ? (
        <p>{noReplies}</p>
      ) : (
        <>
          <p>{replyCountsText(counts, event.settings?.capacity ?? null)}</p>
          <div className="row">
            <ButtonAnchor href={pathOf(api.repliesFile, { params })} aria-label={`Download as CSV: ${name}`}>
              Download as CSV
            </ButtonAnchor>
          </div>
          <Fold title="See the replies" of={name} isLate>
            <List memorialId={memorialId} eventId={event.id} />
          </Fold>
        </>
      )}
    </div>
  )
}

function List({ memorialId, eventId }: { memorialId: string; eventId: string }) {
  const client = useQueryClient()
  const params = { id: memorialId, eventId }
  const address = pathOf(api.listReplies, { params })
  const list = useInfiniteQuery(cursorQuery(address, (query) => call(api.listReplies, { params, query })))
  const [asked, setAsked] = useState<Reply | null>(null)
  const top = useRef<HTMLUListElement>(null)
  const remove = useMutation({
    mutationFn: ({ id }: Reply) => call(api.removeReply, { params: { id: memorialId, replyId: id } }),
    onError: (error) => showFailure(removeFailed, error),
    async onSettled() {
      await Promise.all([
        client.invalidateQueries({ queryKey: [address] }),
        refreshReplyCounts(client, memorialId),
      ])
      flushSync(() => setAsked(null))
      // The button has gone with its row.
      if (document.activeElement === document.body) top.current?.focus()
    },
  })
  if (!list.data)
    return list.isError ? (
      <LoadError title={listFailed} error={list.error} onRetry={() => void list.refetch()} />
    ) : (
      <Loading label="Loading the replies">
        <Skeleton height="10rem" />
      </Loading>
    )
  const replies = list.data.pages.flatMap((page) => page.replies)
  return (
    <>
      <ul ref={top} className={styles.list} tabIndex={-1} aria-label="Replies">
        {replies.map((reply) => (
          <li key={reply.id}>
            <ReplyFacts reply={reply} />
            <Button
              variant="quiet"
              aria-label={`Remove: reply of ${reply.name}, ${formatDateTime(reply.createdAt)}`}
              onClick={() => setAsked(reply)}
            >
              Remove
            </Button>
          </li>
        ))}
      </ul>
      {list.isFetchNextPageError && <ActionFailed title={moreFailed} error={list.error} />}
      {list.hasNextPage && (
        <Button isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
      {asked && (
        <ConfirmDialog
          title={removeTitle(asked.name)}
          confirmLabel="Remove"
          busy={remove.isPending}
          onConfirm={() => remove.mutate(asked)}
          onClose={() => !remove.isPending && setAsked(null)}
        >
          <p>{removeText(asked.answer)}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

function ReplyFacts({ reply }: { reply: Reply }) {
  const { email, createdAt } = reply
  return (
    <div className={styles.facts}>
      <Said {...reply} />
      <p className="small-muted">
        {email !== null && (
          <>
            <a href={`mailto:${email}`}>{email}</a> ·{' '}
          </>
        )}
        {formatDateTime(createdAt)}
      </p>
    </div>
  )
}
