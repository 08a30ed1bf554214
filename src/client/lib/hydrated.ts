import { useSyncExternalStore } from 'react'

const subscribe = () => () => undefined

/**
 * False while the page is as the server wrote it: nothing is known of this browser's clock, zone and storage, and what is
 * drawn must be what the server drew. True from then on, and from the start where the server drew nothing.
 */
export function useHydrated(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  )
}
