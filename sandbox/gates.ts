import type { Fault, Faults } from './faults.ts'

export type Gates = {
  /** Waits until the switch is turned, or for its `ms`. */
  hold: (fault: Fault) => Promise<void>
  /** How many calls wait now. */
  waiting: () => number
}

/** Where calls wait while a `hold` switch is on: a test turns it when it has seen what it wants to see. */
export function createGates(faults: Faults): Gates {
  const waiting = new Set<{ fault: Fault; open: () => void }>()

  faults.onChange(() => {
    for (const call of waiting) if (!faults.isOn(call.fault)) call.open()
  })

  function hold(fault: Fault): Promise<void> {
    return new Promise((resolve) => {
      const timer = fault.ms === null ? undefined : setTimeout(() => call.open(), fault.ms)
      const call = {
        fault,
        open: () => {
          clearTimeout(timer)
          waiting.delete(call)
          resolve()
        },
      }
      waiting.add(call)
    })
  }

  return { hold, waiting: () => waiting.size }
}
