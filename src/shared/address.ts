import type { FuneralEvent } from './funeral.ts'

/** The address on one line, in the order of an envelope; empty if none is given. */
export function addressOf(
  event: Pick<FuneralEvent, 'addressLine' | 'city' | 'postalCode' | 'region' | 'country'>,
): string {
  const town = [event.city, event.postalCode].filter(Boolean).join(' ')
  return [event.addressLine, town, event.region, event.country].filter(Boolean).join(', ')
}
