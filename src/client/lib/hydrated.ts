import { useSyncExternalStore } from 'react'

const subscribe = () => () => undefined

/**
 * False while the page shows the server's HTML: the server doesn't know this browser's clock, time zone and storage,
 * and the first render must match it. True afterwards, and from the start on pages rendered in the browser.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  )
}
