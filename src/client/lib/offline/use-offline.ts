import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { isOffline, consumeStaleFlag, watchConnectivity } from './connectivity.ts'

/** True while the server is unreachable. */
export function useOffline(): boolean {
  return useSyncExternalStore(watchConnectivity, isOffline, () => false)
}

/** On reconnection, refetches failed queries, or all queries if something came from a cache. */
export function useRefreshAfterOffline(): void {
  const client = useQueryClient()
  const offline = useOffline()
  const was = useRef(offline)
  useEffect(() => {
    if (was.current && !offline) {
      const isStale = consumeStaleFlag()
      void client.refetchQueries({
        type: 'active',
        predicate: ({ state }) => isStale || state.status === 'error',
      })
    }
    was.current = offline
  }, [client, offline])
}
