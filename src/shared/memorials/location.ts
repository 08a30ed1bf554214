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

/** The owner's choices for a plaque: `sentence=no` omits the sentence, `marks=yes` adds cutting marks. */
export const plaqueQuery = z.object({
  sentence: z.optional(z.enum(['yes', 'no'])),
  marks: z.optional(z.enum(['yes', 'no'])),
})
export type PlaqueQuery = z.output<typeof plaqueQuery>

/** A plaque for the grave, as the engraver gets it. All lengths in millimetres. */
export type Plaque = {
  /** The permanent public link, the only content of the QR code. */
  url: string
  /** A complete SVG document in millimetres: the plaque, with cutting marks around it if requested. */
  svg: string
  /** Size of the document; the plaque itself is always {@link PLAQUE}. */
  widthMm: number
  heightMm: number
  /** Size of the QR code without its white border, and of one of its squares. */
  codeMm: number
  moduleMm: number
  /** Letter size of the name and of the sentence; null without a sentence. */
  nameMm: number
  sentenceMm: number | null
  /** False if our font lacks a letter; the file then contains text instead of outlines. */
  isOutlined: boolean
}
