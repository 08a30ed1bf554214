import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { DecidedPage } from '#shared/held.ts'
import { formatDate } from '#client/lib/dates.ts'
import { decidedQuery, undoHeld } from '#client/lib/held.ts'
import { Button } from '#client/ui/button.tsx'
import { ItemFacts, withNames } from './item-list.tsx'
import styles from './item-list.module.css'

type Item = DecidedPage['media'][number] | DecidedPage['comments'][number]

/** What the family showed or declined in the last 30 days, each with a way back. Loads when opened. */
export function DecidedItems({ memorialId, onUsed }: { memorialId: string; onUsed: () => void }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={styles.fold}>Decided in the last 30 days</summary>
      {isOpen && <DecidedList memorialId={memorialId} onUsed={onUsed} />}
    </details>
  )
}

function DecidedList({ memorialId, onUsed }: { memorialId: string; onUsed: () => void }) {
  const list = useInfiniteQuery(decidedQuery(memorialId))
  const items =
    list.data?.pages.flatMap(({ media, comments }) =>
      [...media, ...comments].toSorted((a: Item, b: Item) => b.decidedAt.localeCompare(a.decidedAt)),
    ) ?? []
  return (
    <>
      {list.data && items.length === 0 && <p className="small-muted">Nothing yet.</p>}
      <ul className={styles.list}>
        {withNames(items).map(({ item, name }) => (
          <li key={item.id}>
            <Decided memorialId={memorialId} item={item} name={name} onUsed={onUsed} />
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button isBusy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  )
}

function Decided({
  memorialId,
  item,
  name,
  onUsed,
}: {
  memorialId: string
  item: Item
  name: string
  onUsed: () => void
}) {
  const client = useQueryClient()
  const isComment = 'body' in item
  const undo = useMutation({
    mutationFn: () => undoHeld(client, memorialId, [item.id]),
    onMutate: onUsed,
  })
  const done = `${item.isDeclined ? 'Declined' : 'Shown'} on ${formatDate(item.decidedAt)}.`
  return (
    <>
      <ItemFacts
        name={name}
        media={isComment ? null : item}
        // What may hurt isn't read again unasked.
        text={item.heldReason ? null : isComment ? item.body : item.caption}
      >
        {done}
      </ItemFacts>
      <Button
        variant="quiet"
        aria-label={`Undo: ${name}. ${done}`}
        isBusy={undo.isPending}
        onClick={() => undo.mutate()}
      >
        Undo
      </Button>
    </>
  )
}
