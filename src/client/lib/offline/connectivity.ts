/** Whether the server was reachable at the last call. Works without React. */
let isDown = false
/** Something on the screen came from a cache on this device and may be stale. */
let isStale = false
const listeners = new Set<() => void>()

function set(down: boolean): void {
  if (isDown === down) return
  isDown = down
  for (const listener of listeners) listener()
}

/** Records where the answer to a call came from: the server, a cache on this device, or nowhere. */
export function recordAnswer(from: 'server' | 'device' | 'nobody'): void {
  if (from === 'device') isStale = true
  set(from !== 'server')
}

/** True if the device reports no connection, or the last call did not reach the server. */
export function isOffline(): boolean {
  return isDown || !navigator.onLine
}

/** Calls `listener` when {@link isOffline} may have changed. Returns a function that unsubscribes. */
export function watchConnectivity(listener: () => void): () => void {
  const onOnline = () => {
    isDown = false
    listener()
  }
  listeners.add(listener)
  window.addEventListener('offline', listener)
  window.addEventListener('online', onOnline)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('offline', listener)
    window.removeEventListener('online', onOnline)
  }
}

/** True once after cached content was shown: the screen should then be refetched. */
export function consumeStaleFlag(): boolean {
  const was = isStale
  isStale = false
  return was
}
