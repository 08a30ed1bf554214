import * as z from 'zod/mini'

/** What the owner chooses of a plaque: `sentence=no` leaves the sentence off, `marks=yes` shows where to cut. */
export const plaqueQuery = z.object({
  sentence: z.optional(z.enum(['yes', 'no'])),
  marks: z.optional(z.enum(['yes', 'no'])),
})
export type PlaqueQuery = z.output<typeof plaqueQuery>

/** A plaque for the grave as the engraver gets it. All lengths in millimetres. */
export type Plaque = {
  /** The permanent public link, which is all that the code holds. */
  url: string
  /** A whole SVG document in millimetres: the plaque, with cutting marks around it if they were asked for. */
  svg: string
  /** The document; the plaque itself is always {@link PLAQUE}. */
  widthMm: number
  heightMm: number
  /** The code without its white edge, and one of its squares. */
  codeMm: number
  moduleMm: number
  /** Size of the letters of the name and of the sentence; null where there is none. */
  nameMm: number
  sentenceMm: number | null
  /** False where a letter is missing in our font: then letters stand in the file as text. */
  isOutlined: boolean
}
