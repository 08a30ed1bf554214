import type { FuneralEvent } from '#shared/funeral.ts'
import { FUNERAL_DURATION_MS } from '#shared/limits.ts'
import { directionsTo } from '#shared/location.ts'
import { wallClock } from '#client/lib/dates.ts'

/** True until a service is over (it is taken to last two hours). */
export function isUpcoming(event: Pick<FuneralEvent, 'dateTime'>, now: number): boolean {
  return Date.parse(event.dateTime) + FUNERAL_DURATION_MS > now
}

/** `09:00 where you are`, with the weekday where that differs; null when the reader's clock shows the same. */
export function timeWhereYouAre(event: Pick<FuneralEvent, 'dateTime' | 'timeZone'>): string | null {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const there = wallClock(event.dateTime, event.timeZone)
  const here = wallClock(event.dateTime, own)
  if (there.time === here.time && there.day === here.day) return null
  const day = there.day === here.day ? '' : `${here.weekday} `
  return `${day}${here.time} where you are`
}

/** The address in the order an envelope has it, in one line; empty where none is given. */
export function addressOf(event: FuneralEvent): string {
  const town = [event.city, event.postalCode].filter(Boolean).join(' ')
  return [event.addressLine, town, event.region, event.country].filter(Boolean).join(', ')
}

/** A route to the service on the phone's map, or null where no place is given. */
export function directionsUrl(event: FuneralEvent): string | null {
  const place = [event.venueName, addressOf(event)].filter(Boolean).join(', ')
  return place === '' ? null : directionsTo(place)
}
