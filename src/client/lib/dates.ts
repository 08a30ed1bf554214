import { MONTHS, WEEKDAYS, wallClock } from '#shared/dates.ts'

/** `14 March 2026` for an instant, in the reader's time zone. */
export function formatDate(instant: string): string {
  const date = new Date(instant)
  return `${date.getDate()} ${MONTHS[date.getMonth()] ?? ''} ${date.getFullYear()}`
}

/** `14 March 2026, 10:05` for an instant, in the reader's time zone. */
export function formatDateTime(instant: string): string {
  return `${formatDate(instant)}, ${formatTime(new Date(instant))}`
}

/** `10:05`, in the reader's time zone. */
export function formatTime(date: Date): string {
  const two = (part: number) => String(part).padStart(2, '0')
  return `${two(date.getHours())}:${two(date.getMinutes())}`
}

/** Under 1 hour "Just now", under 24 hours in hours, under 7 days in days, otherwise the date. */
export function formatRelative(instant: string, now: number): string {
  const hours = Math.floor((now - Date.parse(instant)) / 3_600_000)
  if (hours < 1) return 'Just now'
  if (hours < 24) return hours === 1 ? '1 hour ago' : `${hours} hours ago`
  const days = Math.floor(hours / 24)
  if (days < 7) return days === 1 ? '1 day ago' : `${days} days ago`
  return formatDate(instant)
}

/** For "since …": `10:05` of today, `yesterday`, the weekday within a week, else the date; in the reader's time zone. */
export function formatSince(instant: string, now: number): string {
  const date = new Date(instant)
  const daysAgo = (days: number) => {
    const day = new Date(now)
    day.setDate(day.getDate() - days)
    return day.toDateString() === date.toDateString()
  }
  if (daysAgo(0)) return formatTime(date)
  if (daysAgo(1)) return 'yesterday'
  const isThisWeek = [2, 3, 4, 5, 6].some(daysAgo)
  return isThisWeek ? (WEEKDAYS[date.getDay()] ?? '') : formatDate(instant)
}

/** `09:00 where you are`, with the weekday if it differs; null if the reader's clock shows the same. */
export function timeWhereYouAre(event: { dateTime: string; timeZone: string }): string | null {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const there = wallClock(event.dateTime, event.timeZone)
  const here = wallClock(event.dateTime, own)
  if (there.time === here.time && there.day === here.day) return null
  const day = there.day === here.day ? '' : `${here.weekday} `
  return `${day}${here.time} where you are`
}

/** `0:42`, `9:05`, `61:00`: elapsed time in minutes and seconds. */
export function formatClock(seconds: number): string {
  const whole = Math.floor(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
