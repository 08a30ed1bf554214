import type { FuneralEvent } from '#shared/funeral.ts'
import { addressOf } from '#shared/address.ts'
import { FUNERAL_DURATION_MS } from '#shared/limits.ts'
import { directionsTo } from '#shared/location.ts'

/** True until a service is over (it is taken to last two hours). */
export function isUpcoming(event: Pick<FuneralEvent, 'dateTime'>, now: number): boolean {
  return Date.parse(event.dateTime) + FUNERAL_DURATION_MS > now
}

/** A route to the service on the phone's map, or null where no place is given. */
export function directionsUrl(event: FuneralEvent): string | null {
  const place = [event.venueName, addressOf(event)].filter(Boolean).join(', ')
  return place === '' ? null : directionsTo(place)
}
