import { useQuery } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import { call } from '#client/lib/call.ts'
import { ownSessionKey } from './use-contributor.tsx'

/** The browser's own session at a memorial, as `useContributor` loads it. `contributorId`: of the one that this device stores. */
export function useOwnSession(memorialId: string, contributorId: string | null, enabled: boolean) {
  return useQuery({
    queryKey: ownSessionKey(memorialId, contributorId),
    enabled,
    queryFn: () => call(api.contributorSession, { params: { id: memorialId } }),
  })
}
