/** How long a page that was left may take to give up what it was sending. */
const CLAIM_WAIT_MS = 1500

const claimed = new Map<string, () => void>()

/**
 * Takes an upload for this page: two tabs must not send one. False where this page or another has it. A browser without
 * locks (before 2022) takes it.
 */
export async function claimUpload(key: string): Promise<boolean> {
  if (claimed.has(key)) return false
  claimed.set(key, () => undefined)
  const { locks } = navigator as { locks?: LockManager }
  if (!locks) return true
  const giveUp = new AbortController()
  const timer = setTimeout(() => giveUp.abort(), CLAIM_WAIT_MS)
  return new Promise((resolve) => {
    locks
      .request(`upload:${key}`, { signal: giveUp.signal }, async () => {
        clearTimeout(timer)
        await new Promise<void>((release) => {
          claimed.set(key, release)
          resolve(true)
        })
      })
      .catch(() => {
        claimed.delete(key)
        resolve(false)
      })
  })
}

/** Gives it back: it has ended. */
export function releaseUpload(key: string): void {
  claimed.get(key)?.()
  claimed.delete(key)
}
