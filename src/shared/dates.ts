/** Our own month names: browsers have no Shona locale and fall back to American dates. */
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const
export const WEEKDAYS = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
] as const

/** `14 March 1948` from a calendar date `1948-03-14`. */
export function formatCalendarDate(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-')
  return `${Number(day)} ${MONTHS[Number(month) - 1] ?? ''} ${year}`
}

export type WallClock = {
  year: number
  month: number
  day: number
  weekday: string
  monthName: string
  /** `10:00`. */
  time: string
}

/** One per zone: creating a formatter takes far longer than using it. */
const clocks = new Map<string, Intl.DateTimeFormat>()

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known) return known
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  clocks.set(timeZone, clock)
  return clock
}

/** Calendar date and clock time in `timeZone` (IANA) at an instant. */
export function wallClock(instant: string, timeZone: string): WallClock {
  const parts = clockOf(timeZone).formatToParts(new Date(instant))
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.find((p) => p.type === type)?.value ?? ''
  const [year, month, day] = [Number(part('year')), Number(part('month')), Number(part('day'))]
  return {
    year,
    month,
    day,
    weekday: WEEKDAYS[new Date(Date.UTC(year, month - 1, day)).getUTCDay()] ?? '',
    monthName: MONTHS[month - 1] ?? '',
    time: `${part('hour')}:${part('minute')}`,
  }
}

/** `Harare` for `Africa/Harare`: the name that people use for the zone. */
export function zoneCity(timeZone: string): string {
  return (timeZone.split('/').at(-1) ?? timeZone).replaceAll('_', ' ')
}

/** `Saturday 6 June 2026, 10:00, Harare time`. */
export function formatService(instant: string, timeZone: string): string {
  const at = wallClock(instant, timeZone)
  return `${at.weekday} ${at.day} ${at.monthName} ${at.year}, ${at.time}, ${zoneCity(timeZone)} time`
}

/** `1 min 12 s`, `9 s`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds)
  const minutes = Math.floor(whole / 60)
  return minutes === 0 ? `${whole} s` : `${minutes} min ${whole % 60} s`
}
