import type { QueryClient } from '@tanstack/react-query'
import type { User } from '#shared/accounts/accounts.ts'
import { api } from '#shared/api.ts'
import type { OutputOf } from '#shared/endpoint.ts'
import type { PublicMemorialView } from '#shared/memorials/memorials.ts'
import { createQueryClient, endpointQuery } from '#client/lib/query-client.ts'
import { setSession } from '#client/lib/session.ts'

export type Config = OutputOf<typeof api.config>

/** A query client that knows who looks at the page, null for a visitor without an account, and this deployment's settings. */
export function writtenPageClient(user: User | null, config: Config): QueryClient {
  const client = createQueryClient()
  setSession(client, user)
  client.setQueryData(endpointQuery(api.config, {}).queryKey, config)
  return client
}

/** A query client filled with all data of a public memorial, both for server rendering and for hydration. */
export function pageClient(view: PublicMemorialView, config: Config): QueryClient {
  const client = createQueryClient()
  const { slug } = view.memorial
  client.setQueryData(endpointQuery(api.memorialBySlug, { params: { slug } }).queryKey, view)
  client.setQueryData(endpointQuery(api.config, {}).queryKey, config)
  return client
}
