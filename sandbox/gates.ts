import type { Fault, Faults } from './faults.ts'

export type Gates = {
  /** Waits until the fault is replaced or removed, or for its `ms`. */
  hold: (fault: Fault) => Promise<void>
  /** The number of held calls. */
  waiting: () => number
}

/** Holds calls while a `hold` fault is active; a test removes the fault to release them. */
export function createGates(faults: Faults): Gates {
  const heldCalls = new Set<{ fault: Fault; open: () => void }>()

  faults.onChange(() => {
    for (const call of heldCalls) if (!faults.isOn(call.fault)) call.open()
  })

  function hold(fault: Fault): Promise<void> {
    return new Promise((resolve) => {
      const timer = fault.ms === null ? undefined : setTimeout(() => call.open(), fault.ms)
      const call = {
        fault,
        open: () => {
          clearTimeout(timer)
          heldCalls.delete(call)
          resolve()
        },
      }
      heldCalls.add(call)
    })
  }

  return { hold, waiting: () => heldCalls.size }
}
