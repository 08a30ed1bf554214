/** How long an unloading page may take to release its locks. */
const LOCK_WAIT_MS = 1500

/** The uploads that this page has locked, with functions that release them. */
const locked = new Map<string, () => void>()

/**
 * Locks an upload for this page, because two tabs must not send the same one. False if this page or another tab has
 * locked it. Browsers without the Web Locks API (before 2022) see only this page's locks.
 */
export async function acquireUploadLock(key: string): Promise<boolean> {
  if (locked.has(key)) return false
  locked.set(key, () => undefined)
  const { locks } = navigator as { locks?: LockManager }
  if (!locks) return true
  const giveUp = new AbortController()
  const timer = setTimeout(() => giveUp.abort(), LOCK_WAIT_MS)
  return new Promise((resolve) => {
    locks
      .request(`upload:${key}`, { signal: giveUp.signal }, async () => {
        clearTimeout(timer)
        await new Promise<void>((release) => {
          locked.set(key, release)
          resolve(true)
        })
      })
      .catch(() => {
        locked.delete(key)
        resolve(false)
      })
  })
}

/** Releases this page's lock, if it has one. */
export function releaseUploadLock(key: string): void {
  locked.get(key)?.()
  locked.delete(key)
}
