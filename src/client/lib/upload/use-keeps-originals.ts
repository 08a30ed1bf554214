import { useSyncExternalStore } from 'react'
import { keepsOriginals, onOriginalsChosen } from './keep-originals.ts'

/** True if photos are sent unmodified, by the device's current choice. */
export function useKeepsOriginals(): boolean {
  return useSyncExternalStore(onOriginalsChosen, keepsOriginals, () => false)
}
