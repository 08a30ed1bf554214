import type { QueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call } from './call.ts'
import { endpointQuery } from './query-client.ts'
import { refreshAll } from './refresh.ts'
import { showFailure, showToast } from './toast-store.ts'

/** What waits for an editor of this memorial. */
export function heldQuery(memorialId: string) {
  return endpointQuery(api.listHeld, { params: { id: memorialId } })
}

/** Shows these held items, or without `ids` all of them, to everyone who may see the memorial. */
export async function showHeld(client: QueryClient, memorialId: string, ids?: string[]): Promise<void> {
  try {
    await call(api.showHeld, { params: { id: memorialId }, body: ids ? { ids } : {} })
    showToast({ title: messages.removed.shown })
  } catch (error) {
    showFailure(messages.removed.notShownTitle, error)
  }
  await refreshAll(client, memorialId)
}
