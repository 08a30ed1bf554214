import { useSyncExternalStore } from 'react'
import { readText, writeText } from '#client/lib/stored-text.ts'

/** On this device, for everybody: it is about the line, not about the person. */
const KEY = 'keep-originals'

type Connection = { type?: string; saveData?: boolean }

const listeners = new Set<() => void>()

/** Whether photographs are sent as the camera made them: as chosen on this device before, else only on Wi-Fi. */
export function keepsOriginals(): boolean {
  const chosen = readText(KEY)
  if (chosen !== null) return chosen === 'yes'
  return isOnWifi((navigator as { connection?: Connection }).connection)
}

/** Few browsers say by what line they are connected; where none does, data is saved. */
export function isOnWifi(connection: Connection | undefined): boolean {
  return connection?.type === 'wifi' && connection.saveData !== true
}

/** The choice, and how it is made. */
export function useKeepsOriginals(): [boolean, (keeps: boolean) => void] {
  return [useSyncExternalStore(listen, keepsOriginals, () => false), choose]
}

function choose(keeps: boolean): void {
  writeText(KEY, keeps ? 'yes' : 'no')
  for (const tell of listeners) tell()
}

function listen(tell: () => void): () => void {
  listeners.add(tell)
  return () => listeners.delete(tell)
}
