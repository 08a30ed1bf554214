import * as z from 'zod/mini'
import { LOCATION_LABEL_MAX } from '../limits.ts'
import { messages } from '../messages.ts'
import { lineOrNull } from '../text.ts'

const DECIMAL = /^-?\d{1,3}(?:\.\d{1,20})?$/u

/** A number, or a string of ASCII digits, minus and dot, within ±`bound`. Outputs a number of degrees (WGS 84). */
function degrees(bound: number, message: string) {
  return z.pipe(
    z.union(
      [z.number(), z.string().check(z.refine((value) => DECIMAL.test(value), { error: message }))],
      message,
    ),
    z.pipe(
      z.transform((value: number | string) => Number(value)),
      z
        .number()
        .check(z.refine((value) => Number.isFinite(value) && Math.abs(value) <= bound, { error: message })),
    ),
  )
}

const position = {
  latitude: degrees(90, messages.location.latitudeInvalid),
  longitude: degrees(180, messages.location.longitudeInvalid),
}
export const positionInput = z.object(position)
export const locationInput = z.object({
  label: z.optional(lineOrNull({ max: LOCATION_LABEL_MAX })),
  ...position,
})
export type LocationInput = z.output<typeof locationInput>

export type MemorialLocation = { label: string | null; latitude: number; longitude: number }

/**
 * The QR code for the gravestone: `url` is the permanent public link, `svg` a complete SVG document in millimetres.
 */
export type MemorialQr = { url: string; svg: string; sizeMm: number }
