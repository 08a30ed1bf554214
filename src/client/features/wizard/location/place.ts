import type { MemorialLocation } from '#shared/location.ts'
import { hasTexts } from '../use-draft.ts'

/** Step 3 as typed. */
export type Place = { label: string; latitude: string; longitude: string }

/** A saved place as the form shows it; empty before there is one. */
export function placeOf(location: MemorialLocation | null | undefined): Place {
  return {
    label: location?.label ?? '',
    latitude: location ? String(location.latitude) : '',
    longitude: location ? String(location.longitude) : '',
  }
}

/** True when a draft of this device has the shape of {@link Place}. */
export function isPlace(values: unknown): values is Place {
  return hasTexts(values, ['label', 'latitude', 'longitude'])
}
