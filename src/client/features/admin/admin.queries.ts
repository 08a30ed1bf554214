import { keepPreviousData, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { Endpoint } from '#shared/endpoint.ts'
import { call, type CallInput } from '#client/lib/call.ts'
import { cursorQuery, endpointQuery, everyQueryOf } from '#client/lib/query-client.ts'

export type PageAddress = { page: number; search: string }

/**
 * What a tab shows. A failure is dealt with around the tab, once ({@link TabBoundary}); a list that is there already stays,
 * also while another page of it comes.
 */
export function useTabData<E extends Endpoint>(endpoint: E, input: CallInput<E>) {
  return useQuery({
    ...endpointQuery(endpoint, input),
    throwOnError: (_, { state }) => state.data === undefined,
    placeholderData: keepPreviousData,
  })
}

export const mailsQuery = cursorQuery(api.adminMails.path, (query) => call(api.adminMails, { query }))
export const deadJobsQuery = cursorQuery(api.adminDeadJobs.path, (query) =>
  call(api.adminDeadJobs, { query }),
)
export const contactQuery = cursorQuery(api.adminMessages.path, (query) => call(api.adminMessages, { query }))
export const auditQuery = cursorQuery(api.adminAudit.path, (query) => call(api.adminAudit, { query }))

/** Loads these calls again, whatever part of them is on the screen. */
export function useReload(...endpoints: Endpoint[]): () => void {
  const client = useQueryClient()
  return () => {
    for (const endpoint of endpoints) void client.invalidateQueries(everyQueryOf(endpoint))
  }
}

type Write = 'memorial' | 'account' | 'payment' | 'tokens' | 'mail' | 'job'

/** Which calls may answer differently after a write. Every write is in the audit log. */
const CHANGES: Record<Write, readonly Endpoint[]> = {
  memorial: [api.adminMemorials, api.adminStats, api.adminActivity, api.adminPayments, api.dashboard],
  account: [api.adminMemorials],
  payment: [api.adminPayments, api.adminMemorials, api.adminStats, api.adminActivity, api.userPayments],
  tokens: [api.adminTokens],
  mail: [api.adminMails, api.adminSystem],
  job: [api.adminDeadJobs, api.adminSystem],
}

/** Loads again what a write may have changed: at once what is on the screen, the rest when it is opened. */
export function invalidateAfter(client: QueryClient, write: Write): void {
  for (const endpoint of [...CHANGES[write], api.adminAudit]) {
    void client.invalidateQueries(everyQueryOf(endpoint))
  }
}

/** As {@link invalidateAfter}, and the screens of that one memorial too. */
export function useMemorialChanged(): (memorial: { id: string; slug: string }) => void {
  const client = useQueryClient()
  return ({ id, slug }) => {
    invalidateAfter(client, 'memorial')
    void client.invalidateQueries(everyQueryOf(api.memorial, { id }))
    void client.invalidateQueries(everyQueryOf(api.memorialBySlug, { slug }))
    void client.invalidateQueries(everyQueryOf(api.memorialAudit, { id }))
  }
}
