import { keepPreviousData, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { Endpoint } from '#shared/endpoint.ts'
import { call, type CallInput } from '#client/lib/call.ts'
import { cursorQuery, endpointQuery, allQueriesOf } from '#client/lib/query-client.ts'

/**
 * The data of a tab. Errors are handled once, around the tab ({@link TabBoundary}). Data that is already loaded stays on
 * screen while another page loads or after a failed reload.
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
export const contactQueries = {
  waiting: contactQuery('waiting'),
  answered: contactQuery('answered'),
}
function contactQuery(state: 'waiting' | 'answered') {
  return cursorQuery(`${api.adminMessages.path}?state=${state}`, (query) =>
    call(api.adminMessages, { query: { ...query, state } }),
  )
}
export const reportsQuery = cursorQuery(api.adminReports.path, (query) => call(api.adminReports, { query }))
export const successionsQuery = cursorQuery(api.adminSuccessions.path, (query) =>
  call(api.adminSuccessions, { query }),
)
export const auditQuery = cursorQuery(api.adminAudit.path, (query) => call(api.adminAudit, { query }))

/** Returns a function that invalidates all queries of these endpoints, with any parameters. */
export function useReload(...endpoints: Endpoint[]): () => void {
  const client = useQueryClient()
  return () => {
    for (const endpoint of endpoints) void client.invalidateQueries(allQueriesOf(endpoint))
  }
}

type Write =
  | 'memorial'
  | 'account'
  | 'payment'
  | 'tokens'
  | 'mail'
  | 'job'
  | 'message'
  | 'report'
  | 'succession'
  | 'words'

/** Endpoints whose answers a write can change. Every write adds an audit log entry. */
const CHANGES: Record<Write, readonly Endpoint[]> = {
  memorial: [api.adminMemorials, api.adminStats, api.adminActivity, api.adminPayments, api.dashboard],
  account: [api.adminMemorials],
  payment: [
    api.adminPayments,
    api.adminMemorials,
    api.adminStats,
    api.adminOverview,
    api.adminActivity,
    api.userPayments,
  ],
  tokens: [api.adminTokens],
  mail: [api.adminMails, api.adminSystem, api.adminOverview],
  job: [api.adminDeadJobs, api.adminSystem, api.adminOverview],
  message: [api.adminMessages, api.adminOverview],
  report: [api.adminReports],
  succession: [api.adminSuccessions],
  words: [api.adminWords],
}

/** Invalidates what a write can change: visible queries reload at once, the others when they are next used. */
export function invalidateAfter(client: QueryClient, write: Write): void {
  for (const endpoint of [...CHANGES[write], api.adminAudit]) {
    void client.invalidateQueries(allQueriesOf(endpoint))
  }
}

/** Like {@link invalidateAfter}, and also invalidates the queries of that memorial. */
export function useMemorialChanged(): (memorial: { id: string; slug: string }) => void {
  const client = useQueryClient()
  return ({ id, slug }) => {
    invalidateAfter(client, 'memorial')
    void client.invalidateQueries(allQueriesOf(api.memorial, { id }))
    void client.invalidateQueries(allQueriesOf(api.memorialBySlug, { slug }))
    void client.invalidateQueries(allQueriesOf(api.memorialAudit, { id }))
  }
}
