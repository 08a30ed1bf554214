/** What the person at the screen wants of one file that is being sent. */
export type SendSwitch = {
  state: () => 'going' | 'paused' | 'stopped'
  pause: () => void
  goOn: () => void
  /** For good. */
  stop: () => void
  /** Calls `listener` after each change. Returns how to be told no more. */
  watch: (listener: () => void) => () => void
}

/** A switch that says: go. */
export function newSendSwitch(): SendSwitch {
  let state: ReturnType<SendSwitch['state']> = 'going'
  const listeners = new Set<() => void>()
  const become = (next: typeof state) => {
    if (state === 'stopped' || state === next) return
    state = next
    for (const listener of listeners) listener()
  }
  return {
    state: () => state,
    pause: () => become('paused'),
    goOn: () => become('going'),
    stop: () => become('stopped'),
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** When somebody has paused or stopped it: then the next file need not wait any longer. */
export async function untilHalted(control: SendSwitch): Promise<void> {
  if (control.state() !== 'going') return
  await new Promise<void>((resolve) => {
    const unwatch = control.watch(() => {
      unwatch()
      resolve()
    })
  })
}
