import type { FuneralEvent } from '#shared/funeral.ts'
import { addressOf, directionsTo } from '#shared/directions.ts'
import { FUNERAL_DURATION_MS } from '#shared/limits.ts'

/** Whether a service is not over yet, assuming that it takes two hours. */
export function isUpcoming(event: Pick<FuneralEvent, 'dateTime'>, now: number): boolean {
  return Date.parse(event.dateTime) + FUNERAL_DURATION_MS > now
}

/** Directions to the service in Google Maps, or null if there is no venue or address. */
export function directionsUrl(event: FuneralEvent): string | null {
  const place = [event.venueName, addressOf(event)].filter(Boolean).join(', ')
  return place === '' ? null : directionsTo(place)
}
