/** Key of the answer to the cookie notice. */
export const COOKIE_CONSENT = 'cookie-consent'
/** Key of the time when a user last signed out on this device. */
export const SIGNED_OUT = 'signed-out'
const KEEPS_ORIGINALS = 'keep-originals'
/** Prefix of the key of a contributor session; the memorial's id follows. */
export const CONTRIBUTOR_SESSION_PREFIX = 'contributor-session:'
/** Stored under that key on the phone of a visitor who left words on the public page. Their session is in a cookie alone. */
export const LEFT_WORDS = 'visitor'
/** Prefix of the key of whoever had a contributor session that has ended; the memorial's id follows. */
export const FORMER_CONTRIBUTOR_PREFIX = 'former-contributor:'

/** Prefix of the key of who pays with somebody else's link; the link's token follows. */
export const PAYER_PREFIX = 'payer:'
/** Texts that could not be stored because the browser has no storage. They last as long as the page. */
const memory = new Map<string, string>()

/** The text stored on this device under `key`, or null. */
export function readText(key: string): string | null {
  const inMemory = memory.get(key)
  if (inMemory !== undefined) return inMemory
  try {
    return window.localStorage.getItem(key)
  } catch {
    return null
  }
}

/** Stores text on this device, or only in this page if storage is full or forbidden. */
export function writeText(key: string, text: string): void {
  try {
    window.localStorage.setItem(key, text)
    memory.delete(key)
  } catch {
    memory.set(key, text)
  }
}

/** Stores whether photos are sent unmodified. Per device, not per user: it depends on the connection. */
export function writeKeepsOriginals(keeps: boolean): void {
  writeText(KEEPS_ORIGINALS, keeps ? 'yes' : 'no')
}

/** What {@link writeKeepsOriginals} has stored, or null. */
export function readKeepsOriginals(): boolean | null {
  const stored = readText(KEEPS_ORIGINALS)
  return stored === null ? null : stored === 'yes'
}

export function removeText(key: string): void {
  memory.delete(key)
  try {
    window.localStorage.removeItem(key)
  } catch {
    memory.delete(key)
  }
}

/** Deletes all texts whose key starts with `prefix`. */
export function removeTextsByPrefix(prefix: string): void {
  for (const key of textKeys(prefix)) removeText(key)
}

/** The keys of all texts that start with `prefix`. */
export function textKeys(prefix: string): string[] {
  const keys = new Set(memory.keys())
  try {
    for (const key of Object.keys(window.localStorage)) keys.add(key)
  } catch {
    // The browser has no storage: only the page's own memory counts.
  }
  return [...keys].filter((key) => key.startsWith(prefix))
}
