import type { QueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { ReplyCounts } from '#shared/replies/replies.ts'
import { endpointQuery } from '#client/lib/query-client.ts'

export function replyCountsQuery(memorialId: string) {
  return endpointQuery(api.replyCounts, { params: { id: memorialId } })
}

/** Call this after a gathering was saved: whom its change hasn't reached may differ. */
export function refreshReplyCounts(client: QueryClient, memorialId: string): Promise<void> {
  return client.invalidateQueries(replyCountsQuery(memorialId))
}

/** `43 coming (12 replies), 5 from afar, 2 can’t come, room for 80`. */
export function replyCountsText(
  { people, coming, afar, sorry }: ReplyCounts,
  capacity: number | null,
): string {
  const replies = coming === 1 ? '1 reply' : `${coming} replies`
  return [
    `${people} coming${coming > 0 ? ` (${replies})` : ''}`,
    `${afar} from afar`,
    `${sorry} can’t come`,
    ...(capacity === null ? [] : [`room for ${capacity}`]),
  ].join(', ')
}
