import { reportMessages } from '#shared/removal/report-messages.ts'
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import type { ReportedPage } from '#shared/removal/reports.ts'
import { call, pathOf } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { REPORTED } from '#client/lib/links.ts'
import { cursorQuery } from '#client/lib/query-client.ts'
import { refreshAll } from '#client/lib/refresh.ts'
import { offerUndo } from '#client/lib/removed.ts'
import { showFailure, showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { ReportSaid } from '#client/ui/report-said.tsx'
import { ItemFacts, ItemRows, ShowMore, useListHeading } from '../item-list.tsx'
import styles from '../item-list.module.css'

type Item = ReportedPage['media'][number] | ReportedPage['comments'][number]

function reportedQuery(memorialId: string) {
  const params = { id: memorialId }
  return cursorQuery<ReportedPage>(pathOf(api.listReported, { params }), (query) =>
    call(api.listReported, { params, query }),
  )
}

/** What people reported, folded because it may hurt to read, to keep or remove. Renders nothing if there is nothing. */
export function ReportedItems({ memorialId }: { memorialId: string }) {
  const list = useInfiniteQuery(reportedQuery(memorialId))
  const { heading, isUsed, markUsed } = useListHeading()
  const items: Item[] = list.data?.pages.flatMap(({ media, comments }) => [...media, ...comments]) ?? []
  if (items.length === 0 && !isUsed) return null
  return (
    <section className={styles.section} aria-labelledby={REPORTED}>
      <h2 ref={heading} id={REPORTED} tabIndex={-1}>
        Reported
      </h2>
      <p className="small-muted">
        {items.length === 0
          ? 'Nothing is left here.'
          : 'People have told you that something may not belong here. Keep it or remove it: nobody is told.'}
      </p>
      {items.length > 0 && (
        <details>
          <summary className={styles.fold}>Show what was reported</summary>
          <ItemRows items={items}>
            {(item, name) => <Reported memorialId={memorialId} item={item} name={name} onUsed={markUsed} />}
          </ItemRows>
          <ShowMore list={list} />
        </details>
      )}
    </section>
  )
}

function Reported({
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
  const { id, reports } = item
  const keep = useMutation({
    mutationFn: () => call(api.keepReported, { params: { id: memorialId }, body: { itemId: id } }),
    onMutate: onUsed,
    onSuccess: () => showToast({ title: reportMessages.kept }),
    onError: (error) => showFailure(reportMessages.notKeptTitle, error),
    onSettled: () => refreshAll(client, memorialId),
  })
  const remove = useMutation({
    mutationFn: () => call(isComment ? api.deleteComment : api.deleteMedia, { params: { id } }),
    onMutate: onUsed,
    async onSuccess() {
      offerUndo(client, memorialId, { kind: isComment ? 'comment' : 'media', id }, true)
      await refreshAll(client, memorialId)
    },
    onError: (error) => showFailure(messages.media.deleteFailedTitle, error),
  })
  return (
    <>
      <ItemFacts name={name} item={item} isWhole>
        First reported {formatDate(reports.firstAt)}.
        {item.heldReason === 'REPORTS' && ' Hidden from others until you decide.'}
      </ItemFacts>
      <div className={styles.within}>
        <ReportSaid reports={reports} />
      </div>
      <div className="row">
        <Button aria-label={`Keep it: ${name}`} isBusy={keep.isPending} onClick={() => keep.mutate()}>
          Keep it
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
