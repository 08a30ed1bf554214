import { DAY_MS, MINUTE_MS } from '#shared/limits.ts'

const PARTS = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/u
/** The largest offset from UTC that any time zone has had. */
const OFFSET_MAX_MS = 15 * 60 * MINUTE_MS
/** Calendars write years in four digits; one day is left for the end of the service. */
const LATEST = Date.UTC(9999, 11, 30)

/**
 * Converts `2026-06-06T10:00` on a clock in `timeZone`, or a text with an offset, to ms since 1970; null when the date or
 * time does not exist in the calendar. Around clock changes it does what Temporal calls "compatible": a skipped time moves
 * forward by the gap, a repeated time is the first one.
 */
export function toInstant(dateTime: string, timeZone: string): number | null {
  const match = PARTS.exec(dateTime)
  if (!match) return null
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0))
  const clock = Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second)
  const asWritten = new Date(clock).toISOString().slice(0, 16)
  if (asWritten !== dateTime.slice(0, 16) || Number(second) > 59) return null
  const offset = match[7]
  const instant = offset === undefined ? fromZone(clock, timeZone) : fromOffset(clock, offset)
  return instant === null || instant > LATEST ? null : instant
}

function fromOffset(clock: number, offset: string): number | null {
  if (offset === 'Z') return clock
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(4, 6))]
  const ms = (hours * 60 + minutes) * MINUTE_MS
  if (minutes > 59 || ms > OFFSET_MAX_MS) return null
  return offset.startsWith('-') ? clock + ms : clock - ms
}

function fromZone(clock: number, timeZone: string): number {
  const before = clock - offsetAt(clock - DAY_MS, timeZone)
  const after = clock - offsetAt(clock + DAY_MS, timeZone)
  const matches = [before, after].filter((instant) => instant + offsetAt(instant, timeZone) === clock)
  return matches.length > 0 ? Math.min(...matches) : before
}

/** The offset of `timeZone` from UTC at `instant`, in ms; positive east of Greenwich. */
function offsetAt(instant: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant)
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((found) => found.type === type)?.value)
  const clock = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
  return clock - Math.floor(instant / 1000) * 1000
}
