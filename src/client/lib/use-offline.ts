import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { isOffline, takeIsOld, watchLine } from './line.ts'

/** Whether there is no line to the server. */
export function useOffline(): boolean {
  return useSyncExternalStore(watchLine, isOffline, () => false)
}

/** When the line is back, asks again for what could not be had, and for all that was shown as it was kept. */
export function useRefreshAfterOffline(): void {
  const client = useQueryClient()
  const offline = useOffline()
  const was = useRef(offline)
  useEffect(() => {
    if (was.current && !offline) {
      const isOld = takeIsOld()
      void client.refetchQueries({
        type: 'active',
        predicate: ({ state }) => isOld || state.status === 'error',
      })
    }
    was.current = offline
  }, [client, offline])
}
