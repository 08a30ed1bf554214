import { formatDate, formatRelative, timeWhereYouAre } from '#client/lib/dates.ts'

/** Fills in what depends on the reader's clock and time zone: the age of comments and the local time of services. */
export function showLocalTimes(): void {
  const now = Date.now()
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-ago]')) {
    time.title = formatDate(time.dateTime)
    time.textContent = formatRelative(time.dateTime, Math.max(now, Date.parse(time.dateTime)))
  }
  for (const place of document.querySelectorAll<HTMLElement>('[data-here]')) {
    const { here = '', zone = '' } = place.dataset
    place.textContent = timeWhereYouAre({ dateTime: here, timeZone: zone }) ?? ''
  }
}
