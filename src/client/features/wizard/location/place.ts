import type { MemorialLocation } from '#shared/location.ts'
import { hasTexts } from '../use-draft.ts'

/** Form values of step 3. */
export type Place = { label: string; latitude: string; longitude: string }

/** Form values of a saved location; empty values if there is none. */
export function placeOf(location: MemorialLocation | null | undefined): Place {
  return {
    label: location?.label ?? '',
    latitude: location ? String(location.latitude) : '',
    longitude: location ? String(location.longitude) : '',
  }
}

/** Whether a draft read from this device has the shape of {@link Place}. */
export function isPlace(values: unknown): values is Place {
  return hasTexts(values, ['label', 'latitude', 'longitude'])
}
