import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { api } from '#shared/api.ts'
import { call } from '#client/lib/call.ts'
import { isOffline, consumeStaleFlag, watchConnectivity } from './connectivity.ts'

/** True while the server is unreachable. */
export function useOffline(): boolean {
  return useSyncExternalStore(watchConnectivity, isOffline, () => false)
}

/** In ms. How long the page waits before it asks again for a server that it couldn't reach: first, and at most. */
const FIRST_WAIT_MS = 5000
const LONGEST_WAIT_MS = 60_000

/**
 * Asks for the server until it answers, while the device says that it's online: the last call failed, or was slow and
 * answered from the cache, and nothing else may call. Waits twice as long each time, also after a success, so that a
 * line that is always slow doesn't load everything again and again.
 */
function useAskUntilReachable(offline: boolean): void {
  const [tries, setTries] = useState(0)
  useEffect(() => {
    if (!offline) return undefined
    const ask = async () => {
      if (!navigator.onLine) return
      clearInterval(timer)
      await call(api.healthLive, {}).catch(() => null)
      setTries((before) => before + 1)
    }
    const timer = setInterval(() => void ask(), Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS))
    return () => clearInterval(timer)
  }, [offline, tries])
}

/** On reconnection, refetches failed queries, or all queries if something came from a cache. */
export function useRefreshAfterOffline(): void {
  const client = useQueryClient()
  const offline = useOffline()
  useAskUntilReachable(offline)
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
