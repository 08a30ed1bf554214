import { formatCalendarDate, wallClock } from '../dates.ts'
import type { FuneralEvent, GatheringSettings } from './funeral.ts'
import { FUNERAL_DURATION_MS, GATHERINGS_FOLD_MS } from '../limits.ts'

export { daysAhead, whenText } from './clock-words.ts'

/** The services of a funeral: at most `FUNERAL_EVENTS_MAX` in a memorial. */
export const SERVICE_KINDS = ['VIEWING', 'WAKE', 'CHURCH', 'BURIAL', 'CREMATION', 'OTHER'] as const
/** Gatherings after it: at most `LATER_GATHERINGS_MAX` more. */
export const LATER_KINDS = [
  'MEMORIAL_SERVICE',
  'NYARADZO',
  'UNVEILING',
  'CELEBRATION',
  'ANNIVERSARY',
  'OTHER_LATER',
] as const
export const GATHERING_KINDS = [...SERVICE_KINDS, ...LATER_KINDS] as const
export type GatheringKind = (typeof GATHERING_KINDS)[number]

/** What a gathering is called if the family gives it no other name. */
export const KIND_NAME: Record<GatheringKind, string> = {
  VIEWING: 'Body viewing',
  WAKE: 'Wake (night vigil)',
  CHURCH: 'Church service',
  BURIAL: 'Burial',
  CREMATION: 'Cremation',
  OTHER: 'Funeral service',
  MEMORIAL_SERVICE: 'Memorial service',
  NYARADZO: 'Nyaradzo (memorial prayers)',
  UNVEILING: 'Unveiling of the tombstone',
  CELEBRATION: 'Celebration of life',
  ANNIVERSARY: 'Anniversary',
  OTHER_LATER: 'Gathering',
}

/** Who sees a gathering: whoever sees the memorial, or only people with an invitation. */
export const AUDIENCES = ['EVERYBODY', 'INVITED'] as const
/** Who sees whom to ask. */
export const CONTACT_FOR = ['FAMILY', 'INVITED', 'EVERYBODY'] as const

export const NO_SETTINGS: GatheringSettings = { contactFor: 'FAMILY', capacity: null, keepReplies: false }

export function isLater(kind: GatheringKind): boolean {
  return LATER_KINDS.some((later) => later === kind)
}

type Times = Pick<FuneralEvent, 'dateTime' | 'endDateTime'>

/** What a gathering has of the fields that came after the first version while nothing is set. */
export const PLAIN_GATHERING = {
  kind: 'OTHER',
  endDateTime: null,
  pin: null,
  wayThere: null,
  dress: null,
  bring: null,
  contact: null,
  audience: 'EVERYBODY',
  streamUrl: null,
  recordingUrl: null,
  isCancelled: false,
  change: null,
  takesReplies: false,
  repliesUntil: null,
  isFull: false,
} as const satisfies Partial<FuneralEvent>

/** Gatherings with every field: a phone may have kept them since the version before, for when it is offline. */
export function withAllFields(events: readonly FuneralEvent[]): FuneralEvent[] {
  return events.map((event) => ({ ...PLAIN_GATHERING, ...event }))
}

export function nameOf({ title, kind }: Pick<FuneralEvent, 'title' | 'kind'>): string {
  return title ?? KIND_NAME[kind]
}

/** When a gathering is over, in ms since 1970: two hours after its start if the family gave no end. */
export function endOf({ dateTime, endDateTime }: Times): number {
  return endDateTime === null ? Date.parse(dateTime) + FUNERAL_DURATION_MS : Date.parse(endDateTime)
}

/** Whether a gathering is not over yet. */
export function isUpcoming(event: Times, now: number): boolean {
  return endOf(event) > now
}

/** What a page shows of a memorial's gatherings at this moment. */
export type Arranged = {
  /** By time; the first is the next one, or the one that is going on. */
  upcoming: FuneralEvent[]
  past: FuneralEvent[]
  /** The gatherings come before the life story: one is ahead, or the last one was a few days ago. */
  isFirst: boolean
  /** One line stands for the past ones. */
  isFolded: boolean
}

/** Sorts gatherings, which come in time order, for the moment `now` (ms since 1970). */
export function arrange(events: readonly FuneralEvent[], now: number): Arranged {
  const upcoming = events.filter((event) => isUpcoming(event, now))
  const past = events.filter((event) => !isUpcoming(event, now))
  const isFolded = past.length > 0 && Math.max(...past.map(endOf)) + GATHERINGS_FOLD_MS <= now
  return { upcoming, past, isFolded, isFirst: upcoming.length > 0 || (past.length > 0 && !isFolded) }
}

/** `Funeral, 6 June 2026`, by the date of the burial or cremation, and how many gatherings came after it. */
export function foldedTitle(past: readonly FuneralEvent[]): string {
  const services = past.filter(({ kind }) => !isLater(kind))
  const later = past.filter(({ kind }) => isLater(kind))
  const main = services.findLast(({ kind }) => kind === 'BURIAL' || kind === 'CREMATION') ?? services.at(-1)
  if (!main) {
    const [first] = later
    const more = later.length > 1 ? `, and ${later.length - 1} more` : ''
    return first ? `${nameOf(first)}, ${dateOf(first)}${more}` : ''
  }
  const after =
    later.length === 0
      ? ''
      : `, and ${later.length === 1 ? nameOf(later[0]!) : `${later.length} gatherings`} after it`
  return `Funeral, ${dateOf(main)}${after}`
}

/** `6 June 2026`, where the gathering is. */
export function dateOf({ dateTime, timeZone }: Pick<FuneralEvent, 'dateTime' | 'timeZone'>): string {
  const { year, month, day } = wallClock(dateTime, timeZone)
  return formatCalendarDate(`${year}-${month}-${day}`)
}
