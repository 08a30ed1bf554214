import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { Comment } from '#shared/comments.ts'
import type { Media } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { formatRelative } from '#client/lib/dates.ts'
import { heldQuery, showHeld } from '#client/lib/held.ts'
import { refreshAll } from '#client/lib/refresh.ts'
import { offerUndo } from '#client/lib/removed.ts'
import { showFailure } from '#client/lib/toast-store.ts'
import { useHashFocus } from '#client/lib/window-hooks.ts'
import { Button } from '#client/ui/button.tsx'
import { WAITING } from '#client/ui/held-note.tsx'
import news from './news.module.css'
import { ItemFacts, useListHeading, withNames } from './item-list.tsx'
import styles from './item-list.module.css'

/** At the top of a memorial: how many new things wait for its owner. Renders nothing if there are none. */
export function HeldNotice({ memorialId }: { memorialId: string }) {
  const { data } = useQuery(heldQuery(memorialId))
  if (!data || data.count === 0) return null
  return (
    <p className={`tall-links ${news.news}`}>
      <a href={`#${WAITING}`}>
        {data.count === 1 ? '1 new thing is' : `${data.count} new things are`} waiting for you
      </a>
    </p>
  )
}

/** What waits for the owner, to show or remove. Renders nothing if there is nothing. */
export function HeldItems({ memorialId }: { memorialId: string }) {
  const client = useQueryClient()
  const { data } = useQuery(heldQuery(memorialId))
  // From a mail, which leads here before the list is.
  useHashFocus(data !== undefined)
  const [now] = useState(() => Date.now())
  const { heading, isUsed, markUsed } = useListHeading()
  const showAll = useMutation({
    mutationFn: () => showHeld(client, memorialId),
    onMutate: markUsed,
  })
  const count = data?.count ?? 0
  if (!data || (count === 0 && !isUsed)) return null
  const items = [...data.media, ...data.comments].toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
  return (
    <section className={styles.section} aria-labelledby={WAITING}>
      <h2 ref={heading} id={WAITING} tabIndex={-1}>
        Waiting for you
      </h2>
      <p className="small-muted">
        {count === 0
          ? 'Nothing is waiting.'
          : 'Only you and the people who added these can see them. Show them or remove them.'}
      </p>
      {count > 1 && (
        <p>
          <Button isBusy={showAll.isPending} onClick={() => showAll.mutate()}>
            Show all {count}
          </Button>
        </p>
      )}
      <ul className={styles.list}>
        {withNames(items).map(({ item, name }) => (
          <li key={item.id}>
            <Held memorialId={memorialId} item={item} name={name} now={now} onUsed={markUsed} />
          </li>
        ))}
      </ul>
      {count > items.length && <p className="small-muted">You’ll see the rest after these.</p>}
    </section>
  )
}

function Held({
  memorialId,
  item,
  name,
  now,
  onUsed,
}: {
  memorialId: string
  item: Media | Comment
  name: string
  now: number
  onUsed: () => void
}) {
  const client = useQueryClient()
  const isComment = 'body' in item
  const text = isComment ? item.body : item.caption
  const show = useMutation({
    mutationFn: () => showHeld(client, memorialId, [item.id]),
    onMutate: onUsed,
  })
  const remove = useMutation({
    mutationFn: () => call(isComment ? api.deleteComment : api.deleteMedia, { params: { id: item.id } }),
    onMutate: onUsed,
    async onSuccess() {
      offerUndo(client, memorialId, { kind: isComment ? 'comment' : 'media', id: item.id }, true)
      await refreshAll(client, memorialId)
    },
    onError: (error) => showFailure(messages.media.deleteFailedTitle, error),
  })
  return (
    <>
      <ItemFacts
        name={name}
        media={isComment ? null : item}
        text={text}
        relation={isComment ? item.visitorRelation : undefined}
      >
        {formatRelative(item.createdAt, Math.max(now, Date.parse(item.createdAt)))}
      </ItemFacts>
      <div className="row">
        <Button aria-label={`Show: ${name}`} isBusy={show.isPending} onClick={() => show.mutate()}>
          Show
        </Button>
        <Button
          variant="quiet"
          aria-label={`Remove: ${name}`}
          isBusy={remove.isPending}
          onClick={() => remove.mutate()}
        >
          Remove
        </Button>
      </div>
    </>
  )
}
