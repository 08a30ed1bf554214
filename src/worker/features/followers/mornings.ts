import { DAY_MS } from '#shared/limits.ts'
import { toInstant } from '#worker/features/funeral/wall-clock.ts'

/** The time of day at which mails to followers are written. */
const MORNING = '08:00'

/** The calendar day (`2026-06-02`) of an instant (ms) on a clock in this zone. */
export function dayIn(timeZone: string, at: number): string {
  const parts = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(at)
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((found) => found.type === type)?.value
  return `${part('year')}-${part('month')}-${part('day')}`
}

/** The first morning (ms) after an instant (ms) on a clock in this zone. */
export function nextMorning(timeZone: string, after: number): number {
  const today = dayIn(timeZone, after)
  const tomorrow = new Date(Date.parse(today) + DAY_MS).toISOString().slice(0, 10)
  const mornings = [today, tomorrow].map((day) => toInstant(`${day}T${MORNING}`, timeZone) ?? 0)
  return mornings.find((at) => at > after) ?? after + DAY_MS
}

/** Whether a day of the past returns on this day of a later year: 29 February on the 28th, where there is no other. */
export function isAnniversary(date: string, day: string): boolean {
  const [year = '', ...monthDay] = day.split('-')
  if (year <= date.slice(0, 4)) return false
  const isLeapYear = new Date(`${year}-02-29`).getUTCDate() === 29
  const returns = date.endsWith('-02-29') && !isLeapYear ? '02-28' : date.slice(5)
  return monthDay.join('-') === returns
}
