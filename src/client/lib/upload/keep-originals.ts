import { readKeepsOriginals, writeKeepsOriginals } from '#client/lib/browser/stored-text.ts'

type Connection = { type?: string; saveData?: boolean }

const listeners = new Set<() => void>()

/** True if photos are sent unmodified: the device's stored choice, else only on Wi-Fi. */
export function keepsOriginals(): boolean {
  return readKeepsOriginals() ?? isOnWifi((navigator as { connection?: Connection }).connection)
}

/** Few browsers report the connection type; without it, save data. */
export function isOnWifi(connection: Connection | undefined): boolean {
  return connection?.type === 'wifi' && connection.saveData !== true
}

/** Stores the user's choice on this device. */
export function chooseOriginals(keeps: boolean): void {
  writeKeepsOriginals(keeps)
  for (const listener of listeners) listener()
}

/** Calls the listener after each choice; returns a function that stops that. */
export function onOriginalsChosen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
