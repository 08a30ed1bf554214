const MONTHS = [
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

/** `14 March 1948 – 2 June 2026`, or what of it is known. */
export function formatLifeDates(born: string | null, died: string | null): string | null {
  if (born && died) return `${formatCalendarDate(born)} – ${formatCalendarDate(died)}`
  if (born) return `Born ${formatCalendarDate(born)}`
  if (died) return `Died ${formatCalendarDate(died)}`
  return null
}

/** `14 March 2026` of an instant, in the reader's own zone. */
export function formatDate(instant: string): string {
  const date = new Date(instant)
  return `${date.getDate()} ${MONTHS[date.getMonth()] ?? ''} ${date.getFullYear()}`
}

/** `14 March 2026, 10:05` of an instant, in the reader's own zone. */
export function formatDateTime(instant: string): string {
  const date = new Date(instant)
  const two = (part: number) => String(part).padStart(2, '0')
  return `${formatDate(instant)}, ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** Under 1 hour "Just now", under 24 hours in hours, under 7 days in days, otherwise the date (product spec 9). */
export function formatRelative(instant: string, now: number): string {
  const hours = Math.floor((now - Date.parse(instant)) / 3_600_000)
  if (hours < 1) return 'Just now'
  if (hours < 24) return hours === 1 ? '1 hour ago' : `${hours} hours ago`
  const days = Math.floor(hours / 24)
  if (days < 7) return days === 1 ? '1 day ago' : `${days} days ago`
  return formatDate(instant)
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

/** One a zone: making one takes far longer than what it is made for. */
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

/** What calendar and clock of `timeZone` (IANA) show at an instant. */
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

/** `Harare` of `Africa/Harare`: the name that people give a zone. */
export function zoneCity(timeZone: string): string {
  return (timeZone.split('/').at(-1) ?? timeZone).replaceAll('_', ' ')
}

/** `Saturday 6 June 2026, 10:00, Harare time`. */
export function formatService(instant: string, timeZone: string): string {
  const at = wallClock(instant, timeZone)
  return `${at.weekday} ${at.day} ${at.monthName} ${at.year}, ${at.time}, ${zoneCity(timeZone)} time`
}

/** `09:00 where you are`, with the weekday where that differs; null when the reader's clock shows the same. */
export function timeWhereYouAre(event: { dateTime: string; timeZone: string }): string | null {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const there = wallClock(event.dateTime, event.timeZone)
  const here = wallClock(event.dateTime, own)
  if (there.time === here.time && there.day === here.day) return null
  const day = there.day === here.day ? '' : `${here.weekday} `
  return `${day}${here.time} where you are`
}

/** Minutes and seconds of a recording: `1 min 12 s`, `9 s`. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds)
  const minutes = Math.floor(whole / 60)
  return minutes === 0 ? `${whole} s` : `${minutes} min ${whole % 60} s`
}

/** `0:42`, `9:05`, `61:00`: minutes and seconds as a clock shows them while time passes. */
export function formatClock(seconds: number): string {
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
