/** What the user wants for one upload. */
export type UploadControl = {
  state: () => 'running' | 'paused' | 'stopped'
  pause: () => void
  resume: () => void
  /** Stops it permanently. */
  stop: () => void
  /** Calls `listener` after each change. Returns a function that unsubscribes. */
  subscribe: (listener: () => void) => () => void
}

/** A control in state `running`. */
export function newUploadControl(): UploadControl {
  let state: ReturnType<UploadControl['state']> = 'running'
  const listeners = new Set<() => void>()
  const become = (next: typeof state) => {
    if (state === 'stopped' || state === next) return
    state = next
    for (const listener of listeners) listener()
  }
  return {
    state: () => state,
    pause: () => become('paused'),
    resume: () => become('running'),
    stop: () => become('stopped'),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Resolves when the user pauses or stops the upload; the next file then need not wait for it. */
export async function untilHalted(control: UploadControl): Promise<void> {
  if (control.state() !== 'running') return
  await new Promise<void>((resolve) => {
    const unsubscribe = control.subscribe(() => {
      unsubscribe()
      resolve()
    })
  })
}
