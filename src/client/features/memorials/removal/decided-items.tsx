import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import type { DecidedPage } from '#shared/removal/held.ts'
import { formatDate, formatDateTime } from '#client/lib/dates.ts'
import { decidedQuery, undoHeld } from '#client/lib/held.ts'
import { useDetails } from '#client/lib/use-details.ts'
import { Button } from '#client/ui/button.tsx'
import { ItemFacts, ItemRows, ShowMore } from '../item-list.tsx'
import styles from '../item-list.module.css'

type Item = DecidedPage['media'][number] | DecidedPage['comments'][number]

/** What the family showed or declined in the last 30 days, each with a way back. Loads when opened. */
export function DecidedItems({ memorialId, onUsed }: { memorialId: string; onUsed: () => void }) {
  const { isOpen, details } = useDetails()
  return (
    <details {...details}>
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
  const presses = new Map<string, Item[]>()
  for (const item of items) presses.set(item.decidedAt, [...(presses.get(item.decidedAt) ?? []), item])
  return (
    <>
      {list.data && items.length === 0 && <p className="small-muted">Nothing yet.</p>}
      {[...presses].map(([decidedAt, together]) => (
        <div key={decidedAt}>
          {together.length > 1 && (
            <UndoAll memorialId={memorialId} decidedAt={decidedAt} items={together} onUsed={onUsed} />
          )}
          <ItemRows items={together} isApart>
            {(item, name) => <Decided memorialId={memorialId} item={item} name={name} onUsed={onUsed} />}
          </ItemRows>
        </div>
      ))}
      <ShowMore list={list} />
    </>
  )
}

/** Above what one press of a button decided: undoes all of it, also what isn't listed yet. */
function UndoAll({
  memorialId,
  decidedAt,
  items,
  onUsed,
}: {
  memorialId: string
  decidedAt: string
  items: Item[]
  onUsed: () => void
}) {
  const client = useQueryClient()
  const undo = useMutation({
    mutationFn: () => undoHeld(client, memorialId, { decidedAt }),
    onMutate: onUsed,
  })
  const what = `${items[0]?.isDeclined ? 'Declined' : 'Shown'} together on ${formatDateTime(decidedAt)}`
  return (
    <div className={`row ${styles.together}`}>
      <p>{what}</p>
      <Button
        variant="quiet"
        aria-label={`Undo all: ${what}`}
        isBusy={undo.isPending}
        onClick={() => undo.mutate()}
      >
        Undo all
      </Button>
    </div>
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
  const undo = useMutation({
    mutationFn: () => undoHeld(client, memorialId, { ids: [item.id] }),
    onMutate: onUsed,
  })
  const done = `${item.isDeclined ? 'Declined' : 'Shown'} on ${formatDate(item.decidedAt)}.`
  return (
    <>
      <ItemFacts name={name} item={item}>
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
