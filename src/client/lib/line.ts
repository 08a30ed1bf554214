/** Whether there is a line to the server, as far as this page can know. Works without React. */
let isDown = false
/** Something on the screen was kept on this device, and may be old. */
let isOld = false
const listeners = new Set<() => void>()

function set(down: boolean): void {
  if (isDown === down) return
  isDown = down
  for (const listener of listeners) listener()
}

/** Notes what became of a call: the server has answered, or what was kept has, or nobody. */
export function noteAnswer(from: 'server' | 'device' | 'nobody'): void {
  if (from === 'device') isOld = true
  set(from !== 'server')
}

/** True when the device says that it has no connection, or the server could not be reached last time. */
export function isOffline(): boolean {
  return isDown || !navigator.onLine
}

/** Calls `listener` when {@link isOffline} may have changed. Returns how to end it. */
export function watchLine(listener: () => void): () => void {
  const back = () => {
    isDown = false
    listener()
  }
  listeners.add(listener)
  window.addEventListener('offline', listener)
  window.addEventListener('online', back)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('offline', listener)
    window.removeEventListener('online', back)
  }
}

/** True once after something kept was shown: what is on the screen is worth asking for again. */
export function takeIsOld(): boolean {
  const was = isOld
  isOld = false
  return was
}
