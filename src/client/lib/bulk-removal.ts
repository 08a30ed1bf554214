import type { QueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { ContributorPage } from '#shared/invites/contributors.ts'
import { countsText, messages } from '#shared/messages.ts'
import type { RemoveAddedInput } from '#shared/removal/removed.ts'
import { call, pathOf } from './call.ts'
import { cursorQuery } from './query-client.ts'
import { refreshAll } from './refresh.ts'
import { restoring } from './removed.ts'
import { showFailure, showToast } from './toast-store.ts'

/** The people who added something by the invitation. Who joined last comes first. */
export function contributorsQuery(memorialId: string) {
  const params = { id: memorialId }
  return cursorQuery<ContributorPage>(pathOf(api.listContributors, { params }), (query) =>
    call(api.listContributors, { params, query }),
  )
}

/** Removes everything that matches, says what that was, and offers to undo it. */
export async function removeAdded(
  client: QueryClient,
  memorialId: string,
  body: RemoveAddedInput,
): Promise<void> {
  const params = { id: memorialId }
  try {
    const { removal } = await call(api.removeAdded, { params, body })
    if (removal === null) showToast({ title: messages.removed.nothingFound })
    else
      showToast({
        title: messages.removed.done,
        text: countsText(removal.removed),
        action: { label: 'Undo', run: () => void restoreAdded(client, memorialId, removal.id) },
      })
  } catch (error) {
    showFailure(messages.media.deleteFailedTitle, error)
  }
  await refreshAll(client, memorialId)
}

/** Undoes a bulk removal, and says what had no room. */
export async function restoreAdded(
  client: QueryClient,
  memorialId: string,
  removalId: string,
): Promise<void> {
  await restoring(client, memorialId, () => call(api.restoreAdded, { params: { id: memorialId, removalId } }))
}
