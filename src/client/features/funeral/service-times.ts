import type { FuneralEvent } from '#shared/funeral.ts'
import { FUNERAL_DURATION_MS } from '#shared/limits.ts'
import { directionsTo } from '#shared/location.ts'

/** True until a service is over (it is taken to last two hours). */
export function isUpcoming(event: Pick<FuneralEvent, 'dateTime'>, now: number): boolean {
  return Date.parse(event.dateTime) + FUNERAL_DURATION_MS > now
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
