import type { FuneralEvent } from './funeral.ts'

/** Link to directions to `destination` (an address, or `latitude,longitude`) in the user's map app. */
export function directionsTo(destination: string): string {
  return `https://www.google.com/maps/dir/?api=1&destination=${encodeURIComponent(destination)}`
}

/** The address on one line, in the order of an envelope; empty if none is given. */
export function addressOf(
  event: Pick<FuneralEvent, 'addressLine' | 'city' | 'postalCode' | 'region' | 'country'>,
): string {
  const town = [event.city, event.postalCode].filter(Boolean).join(' ')
  return [event.addressLine, town, event.region, event.country].filter(Boolean).join(', ')
}
