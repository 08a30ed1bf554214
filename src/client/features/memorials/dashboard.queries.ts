import { api } from '#shared/api.ts'
import { endpointQuery } from '#client/lib/query-client.ts'

/** The owner's memorials, newest first. */
export const dashboardQuery = endpointQuery(api.dashboard, {})
