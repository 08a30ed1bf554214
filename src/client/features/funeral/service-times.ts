import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { addressOf, directionsTo } from '#shared/funeral/directions.ts'

/** Directions to the gathering in Google Maps, or null if there is no pin, venue or address. */
export function directionsUrl(event: FuneralEvent): string | null {
  if (event.pin) return directionsTo(`${event.pin.latitude},${event.pin.longitude}`)
  const place = [event.venueName, addressOf(event)].filter(Boolean).join(', ')
  return place === '' ? null : directionsTo(place)
}
