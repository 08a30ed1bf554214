import { formatService, wallClock, zoneCity, type WallClock } from '../dates.ts'
import type { FuneralEvent } from './funeral.ts'
import { HOUR_MS, STREAM_SOON_MS } from '../limits.ts'

type Beginning = Pick<FuneralEvent, 'dateTime' | 'timeZone'>

/** How many days ahead the gathering is, where it is: 0 is today, 1 tomorrow, negative is over. */
export function daysAhead({ dateTime, timeZone }: Beginning, now: number): number {
  const today = wallClock(new Date(now).toISOString(), timeZone)
  return dayNumber(wallClock(dateTime, timeZone)) - dayNumber(today)
}

/** `Tomorrow, 10:00, Harare time`; with the date if it's neither today nor tomorrow. */
export function whenText(event: Beginning, now: number): string {
  const days = daysAhead(event, now)
  const { time } = wallClock(event.dateTime, event.timeZone)
  if (days !== 0 && days !== 1) return formatService(event.dateTime, event.timeZone)
  return `${days === 0 ? 'Today' : 'Tomorrow'}, ${time}, ${zoneCity(event.timeZone)} time`
}

/** What words that follow the clock are made of: UTC instants, and the zone of the place. */
export type Moments = { start: string; end: string; zone: string }

/** What changes with the clock, for a moment in ms since 1970. Each change is a turn of the page (`turns.ts`). */
export const CLOCK_WORDS = {
  when: ({ start, zone }: Moments, now: number) => whenText({ dateTime: start, timeZone: zone }, now),
  stream: streamText,
  /** `start` is when it changed. */
  changed: dayOfChange,
} as const

/** `Begins in 2 h`, to the nearest hour; empty once it is over. */
function streamText({ start, end, zone }: Moments, now: number): string {
  const ahead = Date.parse(start) - now
  if (Date.parse(end) <= now) return ''
  if (ahead <= 0) return 'Live now'
  if (ahead > STREAM_SOON_MS)
    return `Begins ${whenText({ dateTime: start, timeZone: zone }, now).replace(/^To/u, 'to')}`
  const hours = Math.ceil(ahead / HOUR_MS - 0.5)
  return hours === 0 ? 'Begins in less than half an hour' : `Begins in ${hours} h`
}

function dayOfChange({ start, zone }: Moments, now: number): string {
  const days = daysAhead({ dateTime: start, timeZone: zone }, now)
  if (days === 0) return 'today'
  if (days === -1) return 'yesterday'
  const { day, monthName } = wallClock(start, zone)
  return `on ${day} ${monthName}`
}

/** Counts days, so that two calendar dates can be subtracted. */
function dayNumber({ year, month, day }: Pick<WallClock, 'year' | 'month' | 'day'>): number {
  return Date.UTC(year, month - 1, day) / 86_400_000
}
