import { useMutation, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { Media } from '#shared/media/media.ts'
import { messages, restoredExcept } from '#shared/messages.ts'
import type { BulkRestored, RemovedPage } from '#shared/removal/removed.ts'
import { call, pathOf } from './call.ts'
import { allQueriesOf, cursorQuery } from './query-client.ts'
import { refreshAll, refreshMemorial } from './refresh.ts'
import { showFailure, showToast } from './toast-store.ts'

export type RemovableItem = { kind: 'media' | 'comment'; id: string }

/**
 * What this viewer may restore in a memorial: editors what others removed, too. Last removed first. `removal`: what one bulk removal
 * holds, instead of what was removed one by one.
 */
export function removedQuery(memorialId: string, removal?: string) {
  const params = { id: memorialId }
  return cursorQuery<RemovedPage>(
    pathOf(api.listRemoved, { params }),
    (query) => call(api.listRemoved, { params, query: { ...query, removal } }),
    undefined,
    removal,
  )
}

/**
 * A function that removes a media item and offers to undo it, if the user may. A second press while the first is on its way
 * does nothing.
 */
export function useMediaRemoval(
  memorialId: string,
  onRemoved: (item: Media) => void,
  { mayUndo = true, onFailed }: { mayUndo?: boolean; onFailed?: (error: unknown) => void } = {},
): (item: Media) => void {
  const client = useQueryClient()
  const removal = useMutation({
    mutationFn: ({ id }: Media) => call(api.deleteMedia, { params: { id } }),
    onSuccess(_, item) {
      onRemoved(item)
      offerUndo(client, memorialId, { kind: 'media', id: item.id }, mayUndo)
    },
    onError(error) {
      showFailure(messages.media.deleteFailedTitle, error)
      onFailed?.(error)
    },
  })
  return (item) => {
    if (!removal.isPending || removal.variables.id !== item.id) removal.mutate(item)
  }
}

/** After a removal: reloads what else may show the item, says that it was removed, and offers to undo it if `mayUndo`. */
export function offerUndo(
  client: QueryClient,
  memorialId: string,
  item: RemovableItem,
  mayUndo: boolean,
): void {
  // The item may be the memorial's portrait.
  void refreshMemorial(client, memorialId)
  void client.invalidateQueries(removedQuery(memorialId))
  for (const endpoint of [api.listHeld, api.listReported, api.listContributors])
    void client.invalidateQueries(allQueriesOf(endpoint, { id: memorialId }))
  showToast({
    title: messages.removed.done,
    ...(mayUndo && {
      action: { label: 'Undo', run: () => void restoreRemoved(client, memorialId, item) },
    }),
  })
}

/** Restores a removed item, reloads what shows it, and says so. Says why if that fails. */
export async function restoreRemoved(
  client: QueryClient,
  memorialId: string,
  { kind, id }: RemovableItem,
): Promise<void> {
  await restoring(client, memorialId, async () => {
    await call(kind === 'media' ? api.restoreMedia : api.restoreComment, { params: { id } })
    return { restored: 1, left: 0 }
  })
}

/** Restores, says so or why not, and reloads everything that shows it. */
export async function restoring(
  client: QueryClient,
  memorialId: string,
  restore: () => Promise<BulkRestored>,
): Promise<void> {
  try {
    const { left } = await restore()
    showToast({ title: messages.removed.restored, ...(left > 0 && { text: restoredExcept(left) }) })
  } catch (error) {
    showFailure(messages.removed.notRestoredTitle, error)
  }
  await refreshAll(client, memorialId)
}
