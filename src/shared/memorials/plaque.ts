import * as z from 'zod/mini'

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
