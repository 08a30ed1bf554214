import type { FuneralEvent } from '#shared/funeral.ts'
import { addressOf, directionsTo } from '#shared/directions.ts'

/** Directions to the service in Google Maps, or null if there is no venue or address. */
export function directionsUrl(event: FuneralEvent): string | null {
  const place = [event.venueName, addressOf(event)].filter(Boolean).join(', ')
  return place === '' ? null : directionsTo(place)
}
