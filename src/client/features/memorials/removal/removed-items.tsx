import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import { countsText, messages } from '#shared/messages.ts'
import type { BulkRemoval, RemovedPage } from '#shared/removal/removed.ts'
import { call } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { restoreAdded } from '#client/lib/bulk-removal.ts'
import { refreshAll } from '#client/lib/refresh.ts'
import { removedQuery, restoreRemoved } from '#client/lib/removed.ts'
import { showFailure, showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { ItemFacts, ItemRows, NameApart, ShowMore, useListHeading, withNames } from '../item-list.tsx'
import styles from '../item-list.module.css'

type Item =
  | ({ kind: 'media' } & RemovedPage['media'][number])
  | ({ kind: 'comment' } & RemovedPage['comments'][number])

function newestFirst({ media, comments }: RemovedPage): Item[] {
  const all: Item[] = [
    ...media.map((item) => ({ kind: 'media' as const, ...item })),
    ...comments.map((item) => ({ kind: 'comment' as const, ...item })),
  ]
  return all.toSorted((a, b) => b.removedAt.localeCompare(a.removedAt))
}

/** At the end of a memorial: what can be restored for 30 days. Renders nothing if there is nothing. */
export function RemovedItems({ memorialId }: { memorialId: string }) {
  const list = useInfiniteQuery(removedQuery(memorialId))
  const items = list.data?.pages.flatMap(newestFirst) ?? []
  const { heading, isUsed, markUsed } = useListHeading()
  const removals = list.data?.pages.flatMap((page) => page.removals) ?? []
  const count = items.length + removals.length
  if (count === 0 && !isUsed) return null
  return (
    <section className={styles.section} aria-labelledby="removed">
      <h2 ref={heading} id="removed" tabIndex={-1}>
        Removed
      </h2>
      <p className="small-muted">
        {count === 0
          ? 'Nothing is left here.'
          : 'Visitors don’t see these. After 30 days they’re deleted for good.'}
      </p>
      <ul className={styles.list}>
        {removals.map((removal) => (
          <li key={removal.id}>
            <RemovedTogether memorialId={memorialId} removal={removal} onUsed={markUsed} />
          </li>
        ))}
        {withNames(items, true).map(({ item, name }) => (
          <li key={item.id}>
            <Removed memorialId={memorialId} item={item} name={name} onUsed={markUsed} />
          </li>
        ))}
      </ul>
      <ShowMore list={list} />
    </section>
  )
}

/** What one call removed: restored or deleted together, or looked at one by one. */
function RemovedTogether({
  memorialId,
  removal,
  onUsed,
}: {
  memorialId: string
  removal: BulkRemoval
  onUsed: () => void
}) {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const { contributorName, mayNameHurt } = removal
  const author = mayNameHurt ? 'one person' : (contributorName ?? 'several people')
  const name = `${countsText(removal.removed)} by ${author}`
  const restore = useMutation({
    mutationFn: () => restoreAdded(client, memorialId, removal.id),
    onMutate: onUsed,
  })
  const remove = useMutation({
    mutationFn: () => call(api.deleteAdded, { params: { id: memorialId, removalId: removal.id } }),
    onMutate: onUsed,
    onSuccess: () => showToast({ title: messages.removed.deletedForGood }),
    onError: (error) => showFailure(messages.media.deleteFailedTitle, error),
    async onSettled() {
      setAsking(false)
      await refreshAll(client, memorialId)
    },
  })
  return (
    <>
      <div className={styles.facts}>
        <p>Removed together: {name}</p>
        {mayNameHurt && contributorName !== null && <NameApart>{contributorName}</NameApart>}
        <p className="small-muted">
          Removed {formatDate(removal.removedAt)}. Can be restored until {formatDate(removal.restorableUntil)}
          .
        </p>
      </div>
      <div className="row">
        <Button
          aria-label={`Restore all: ${name}`}
          isBusy={restore.isPending}
          onClick={() => restore.mutate()}
        >
          Restore all
        </Button>
        <Button variant="quiet" aria-label={`Delete for good: ${name}`} onClick={() => setAsking(true)}>
          Delete for good
        </Button>
        <Button variant="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Show one by one
        </Button>
      </div>
      {isOpen && <WithinRemoval memorialId={memorialId} removalId={removal.id} onUsed={onUsed} />}
      {isAsking && (
        <ConfirmDialog
          title={`Delete ${name} for good?`}
          confirmLabel="Delete for good"
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}

function WithinRemoval({
  memorialId,
  removalId,
  onUsed,
}: {
  memorialId: string
  removalId: string
  onUsed: () => void
}) {
  const list = useInfiniteQuery(removedQuery(memorialId, removalId))
  const items = list.data?.pages.flatMap(newestFirst) ?? []
  return (
    <div className={styles.within}>
      <ItemRows items={items} isApart>
        {(item, name) => <Removed memorialId={memorialId} item={item} name={name} onUsed={onUsed} />}
      </ItemRows>
      <ShowMore list={list} />
    </div>
  )
}

function Removed({
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
  const [isAsking, setAsking] = useState(false)
  const isMedia = item.kind === 'media'
  const restore = useMutation({
    mutationFn: () => restoreRemoved(client, memorialId, item),
    onMutate: onUsed,
  })
  const remove = useMutation({
    mutationFn: () =>
      call(isMedia ? api.deleteMedia : api.deleteComment, {
        params: { id: item.id },
        query: { forever: '1' as const },
      }),
    onMutate: onUsed,
    onSuccess() {
      showToast({ title: isMedia ? messages.removed.deletedForGood : messages.comment.deletedTitle })
    },
    onError: (error) => showFailure(messages.media.deleteFailedTitle, error),
    async onSettled() {
      setAsking(false)
      await refreshAll(client, memorialId)
    },
  })
  return (
    <>
      <ItemFacts name={name} item={item}>
        Removed {formatDate(item.removedAt)}. Can be restored until {formatDate(item.restorableUntil)}.
      </ItemFacts>
      <div className="row">
        <Button aria-label={`Restore: ${name}`} isBusy={restore.isPending} onClick={() => restore.mutate()}>
          Restore
        </Button>
        <Button variant="quiet" aria-label={`Delete for good: ${name}`} onClick={() => setAsking(true)}>
          Delete for good
        </Button>
      </div>
      {isAsking && (
        <ConfirmDialog
          title={isMedia ? messages.media.confirmDelete : messages.comment.confirmDelete}
          confirmLabel="Delete for good"
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
