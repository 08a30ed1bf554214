import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { isOffline, takeIsStale, watchConnectivity } from './connectivity.ts'

/** Whether the server cannot be reached. */
export function useOffline(): boolean {
  return useSyncExternalStore(watchConnectivity, isOffline, () => false)
}

/** When the server can be reached again, refetches what failed, and everything if something came from a cache. */
export function useRefreshAfterOffline(): void {
  const client = useQueryClient()
  const offline = useOffline()
  const was = useRef(offline)
  useEffect(() => {
    if (was.current && !offline) {
      const isStale = takeIsStale()
      void client.refetchQueries({
        type: 'active',
        predicate: ({ state }) => isStale || state.status === 'error',
      })
    }
    was.current = offline
  }, [client, offline])
}
