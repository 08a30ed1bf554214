/** The switches of each service. `ok` (and `send`, for webhooks) is how a switch is turned off. */
const MODES = {
  stripe: ['ok', 'fail', 'break', 'stall', 'drop', 'hold'],
  mail: ['ok', 'fail', 'stall', 'drop', 'hold'],
  webhooks: ['ok', 'send', 'hold', 'delay', 'repeat', 'drop', 'reorder'],
} as const

export type Service = keyof typeof MODES

/** One switch that is on. `left` is how many calls it still applies to, null for no end. */
export type Fault = {
  service: Service
  mode: string
  left: number | null
  /** Only calls whose path, body or event holds this text; null for all. */
  match: string | null
  /** For `delay` and `hold`: how long, in milliseconds. */
  ms: number | null
}

export type Faults = {
  set: (input: Record<string, unknown>) => string | null
  reset: (match: string | null) => void
  list: () => Fault[]
  take: (service: Service, text: string) => Fault | null
  isOn: (fault: Fault) => boolean
  onChange: (listener: () => void) => void
}

/**
 * The board of switches. A switch with `match` goes before one without, so that tests which run at
 * the same time can each break their own calls. A used-up switch stays on the board, without effect, until it
 * is replaced or reset: what it holds back is released only then.
 */
export function createFaults(): Faults {
  let board: Fault[] = []
  const listeners: (() => void)[] = []

  function change(next: Fault[]): void {
    board = next
    for (const listener of listeners) listener()
  }

  /** Turns a switch; returns a sentence when the input makes no sense, else null. */
  function set(input: Record<string, unknown>): string | null {
    const fault = readFault(input)
    if (typeof fault === 'string') return fault
    const isOff = fault.mode === 'ok' || fault.mode === 'send'
    const others = board.filter(
      (other) =>
        other.service !== fault.service ||
        (isOff && fault.match === null ? false : other.match !== fault.match),
    )
    change(isOff ? others : [...others, fault])
    return null
  }

  function reset(match: string | null): void {
    change(match === null ? [] : board.filter((fault) => fault.match !== match))
  }

  /** The switch that applies to this call, used up by one; null when the call is to go well. */
  function take(service: Service, text: string): Fault | null {
    const live = board.filter(
      (fault) =>
        fault.service === service && fault.left !== 0 && (fault.match === null || text.includes(fault.match)),
    )
    const fault = live.find((candidate) => candidate.match !== null) ?? live[0]
    if (!fault) return null
    if (fault.left !== null) fault.left -= 1
    return fault
  }

  return {
    set,
    reset,
    list: () => board,
    take,
    isOn: (fault) => board.includes(fault),
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
    return 'match must be a text'
  }
  return {
    service: service as Service,
    mode,
    left: times === undefined ? null : (times as number),
    match: match === undefined ? null : match,
    ms: ms === undefined ? null : (ms as number),
  }
}

function isCount(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least
}
