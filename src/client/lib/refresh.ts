import type { QueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import { pathOf } from './call.ts'
import { allQueriesOf } from './query-client.ts'

/** Reloads what is shown of a memorial itself: its page, its public page, and its card and payments on the dashboard. */
export async function refreshMemorial(client: QueryClient, id: string): Promise<void> {
  const bySlug = pathOf(api.memorialBySlug, { params: { slug: '' } })
  await Promise.all([
    client.invalidateQueries(allQueriesOf(api.memorial, { id })),
    client.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith(bySlug) }),
    client.invalidateQueries({ queryKey: [api.dashboard.path] }),
    // Sharing may have used a payment that waited.
    client.invalidateQueries({ queryKey: [api.userPayments.path] }),
  ])
}

/** Reloads everything that shows what is on a memorial or removed from it; an item may be its portrait. */
export async function refreshAll(client: QueryClient, memorialId: string): Promise<void> {
  const params = { id: memorialId }
  await Promise.all([
    ...[
      api.listMedia,
      api.listComments,
      api.contributorSession,
      api.listRemoved,
      api.listContributors,
      api.listHeld,
      api.listDecided,
      api.listReported,
    ].map((endpoint) => client.invalidateQueries(allQueriesOf(endpoint, params))),
    refreshMemorial(client, memorialId),
  ])
}
