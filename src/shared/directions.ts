import type { FuneralEvent, GatheringPin } from './funeral.ts'

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

/** About 200 m: closer than that, people find each other. */
const NEARBY_DEGREES = 0.002

/** True if whoever was led to the first place on the map finds the second. Without one they weren't led, and there is none to find. */
export function isNearby(known: GatheringPin | undefined, now: GatheringPin | undefined): boolean {
  if (!known || !now) return true
  const degrees = [known.latitude - now.latitude, known.longitude - now.longitude].map(Math.abs)
  return Math.max(...degrees) < NEARBY_DEGREES
}
