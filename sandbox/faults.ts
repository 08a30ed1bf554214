/** The fault modes of each service. `ok` (and `send`, for webhooks and posts) removes a fault. */
const MODES = {
  stripe: ['ok', 'fail', 'break', 'stall', 'drop', 'hold'],
  mail: ['ok', 'fail', 'stall', 'drop', 'hold'],
  webhooks: ['ok', 'send', 'hold', 'delay', 'repeat', 'drop', 'reorder'],
  paynow: [
    'ok',
    'fail',
    'forbid',
    'html',
    'empty',
    'stall',
    'drop',
    'hold',
    'early',
    'notfound',
    'tracefailed',
    'amount',
    'unsigned',
  ],
  'paynow-posts': ['ok', 'send', 'hold', 'delay', 'repeat', 'drop', 'reorder'],
} as const

export type Service = keyof typeof MODES

/** An active fault. `left` is the number of calls that it still applies to, null for no limit. */
export type Fault = {
  service: Service
  mode: string
  left: number | null
  /** Only calls whose path, body or event contains this text; null for all. */
  match: string | null
  /** For `delay` and `hold`: how long, in milliseconds. */
  ms: number | null
}

export type Faults = {
  set: (input: Record<string, unknown>) => string | null
  reset: (match: string | null) => void
  list: () => Fault[]
  take: (service: Service, text: string) => Fault | null
  /** How many calls and messages a fault has broken so far. */
  taken: () => number
  isOn: (fault: Fault) => boolean
  onChange: (listener: () => void) => void
}

/**
 * The active faults. A fault with `match` takes precedence over one without, so that concurrent tests
 * can each break their own calls. A used-up fault stays in the list, without effect, until it
 * is replaced or reset: only then are the calls that it holds released.
 */
export function createFaults(): Faults {
  let active: Fault[] = []
  let taken = 0
  const listeners: (() => void)[] = []

  function change(next: Fault[]): void {
    active = next
    for (const listener of listeners) listener()
  }

  /** Sets or removes a fault; returns an error message if the input is invalid, otherwise null. */
  function set(input: Record<string, unknown>): string | null {
    const fault = readFault(input)
    if (typeof fault === 'string') return fault
    const isOff = fault.mode === 'ok' || fault.mode === 'send'
    const others = active.filter(
      (other) =>
        other.service !== fault.service ||
        (isOff && fault.match === null ? false : other.match !== fault.match),
    )
    change(isOff ? others : [...others, fault])
    return null
  }

  function reset(match: string | null): void {
    change(match === null ? [] : active.filter((fault) => fault.match !== match))
  }

  /** Consumes one use of the fault that applies to this call; null if the call should succeed. */
  function take(service: Service, text: string): Fault | null {
    const live = active.filter(
      (fault) =>
        fault.service === service && fault.left !== 0 && (fault.match === null || text.includes(fault.match)),
    )
    const fault = live.find((candidate) => candidate.match !== null) ?? live[0]
    if (!fault) return null
    if (fault.left !== null) fault.left -= 1
    taken += 1
    return fault
  }

  return {
    set,
    reset,
    list: () => active,
    take,
    taken: () => taken,
    isOn: (fault) => active.includes(fault),
    onChange: (listener) => void listeners.push(listener),
  }
}

function readFault(input: Record<string, unknown>): Fault | string {
  const { service, mode, times, match, ms } = input
  if (typeof service !== 'string' || !(service in MODES)) {
    return `service must be one of ${Object.keys(MODES).join(', ')}`
  }
  const modes: readonly string[] = MODES[service as Service]
  if (typeof mode !== 'string' || !modes.includes(mode)) {
    return `mode of ${service} must be one of ${modes.join(', ')}`
  }
  if (times !== undefined && !isCount(times, 1)) return 'times must be a whole number from 1'
  if (ms !== undefined && !isCount(ms, 0)) return 'ms must be a whole number from 0'
  if (match !== undefined && (typeof match !== 'string' || match === '')) {
    return 'match must be a string that is not empty'
  }
  return {
    service: service as Service,
    mode,
    left: times === undefined ? null : (times as number),
    match: match === undefined ? null : match,
    ms: ms === undefined ? null : (ms as number),
  }
}

function isCount(value: unknown, min: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= min
}
