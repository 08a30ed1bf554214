import { formatDate, formatRelative, timeWhereYouAre } from '#client/lib/dates.ts'

/** What only the reader's own clock and zone can say: how long ago a message was written, when a service is where they are. */
export function showOwnTimes(): void {
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
