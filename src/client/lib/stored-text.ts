/** Under this key stands how the cookie notice was answered (product spec 3). */
export const COOKIE_CONSENT = 'cookie-consent'

/** What could not be written because the browser keeps no storage for us: it lasts as long as the page. */
const memory = new Map<string, string>()

/** Text kept on this device under `key`, or null. */
export function readText(key: string): string | null {
  const kept = memory.get(key)
  if (kept !== undefined) return kept
  try {
    return window.localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Keeps text on this device, or at least in this page where storage is full or forbidden. */
export function writeText(key: string, text: string): void {
  try {
    window.localStorage.setItem(key, text)
    memory.delete(key)
  } catch {
    memory.set(key, text)
  }
}

/** Forgets the text under `key`. */
export function removeText(key: string): void {
  memory.delete(key)
  try {
    window.localStorage.removeItem(key)
  } catch {
    memory.delete(key)
  }
}

/** Forgets every text whose key begins so. */
export function forgetTexts(prefix: string): void {
  for (const key of textKeys(prefix)) removeText(key)
}

/** The keys of all texts that begin so. */
export function textKeys(prefix: string): string[] {
  const keys = new Set(memory.keys())
  try {
    for (const key of Object.keys(window.localStorage)) keys.add(key)
  } catch {
    // The browser keeps no storage for us: there is what the page remembers.
  }
  return [...keys].filter((key) => key.startsWith(prefix))
}
