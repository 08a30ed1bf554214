import { PLAQUE, PLAQUE_CODE } from '#shared/limits.ts'
import { fitText, type FittedText, type Sizes } from '#worker/features/previews/card-text.ts'

export type PlaqueText = { name: string; years: string | null; sentence: string | null }
/** One centred line on the plaque. `y` is its baseline. In millimetres. */
export type PlaqueLine = { text: string; y: number; size: number }
export type PlaqueLayout = {
  lines: PlaqueLine[]
  /** The code without its quiet zone: upper left corner, side length, and module size. */
  code: { x: number; y: number; side: number; module: number }
  nameMm: number
  sentenceMm: number | null
}

/** ISO/IEC 18004 requires a quiet zone of four modules on every side. */
const QUIET_MODULES = 4
/** From the text to the edge of the plaque. Larger than engravers require, so that accents have room. */
const MARGIN = PLAQUE.edgeMm + 2
/** Maximum line width with our own font, and with the engraver's font, whose letter widths we don't know. */
export const LINE_WIDTH = {
  ours: PLAQUE.widthMm - 2 * MARGIN,
  unknown: 0.8 * (PLAQUE.widthMm - 2 * MARGIN),
} as const
const HEIGHT = PLAQUE.heightMm - 2 * MARGIN
const NAME: Sizes = {
  steps: [
    { size: 10, lines: 2 },
    { size: 8.5, lines: 2 },
    { size: 7, lines: 3 },
    { size: 6, lines: 4 },
  ],
  smallest: 5,
}
const SENTENCE: Sizes = {
  steps: [
    { size: 5, lines: 2 },
    { size: 4.5, lines: 3 },
    { size: 4, lines: 5 },
  ],
  smallest: 3.5,
}
const YEARS_OF_NAME = 0.65
const LINE_HEIGHT = 1.25
/** From the top of a line to its baseline, as a fraction of its size. */
const BASELINE = 0.9
/** If the content is higher than the plaque, all text shrinks by this factor, repeatedly. */
const SHRINK_FACTOR = 0.95

/**
 * Positions name, years, a code of `modules` × `modules`, and sentence in one centred column, with no line wider than
 * `width`. The code has its minimum size, and the text gets the remaining height.
 */
export function layOutPlaque(texts: PlaqueText, modules: number, width: number): PlaqueLayout {
  const module = Math.max(PLAQUE_CODE.moduleMinMm, Math.ceil((PLAQUE_CODE.minMm / modules) * 20) / 20)
  const side = modules * module
  const codeBlock = side + 2 * QUIET_MODULES * module
  let scale = 1
  let parts = textParts(texts, width / scale, scale)
  while (codeBlock + heightOf(parts) > HEIGHT) {
    scale *= SHRINK_FACTOR
    parts = textParts(texts, width / scale, scale)
  }
  let y = MARGIN + (HEIGHT - codeBlock - heightOf(parts)) / 2
  const lines: PlaqueLine[] = []
  const write = (text: FittedText) => {
    for (const line of text.lines) {
      lines.push({ text: line, y: y + BASELINE * text.size, size: text.size })
      y += LINE_HEIGHT * text.size
    }
  }
  write(parts.name)
  write(parts.years)
  const codeTop = y + QUIET_MODULES * module
  y += codeBlock
  write(parts.sentence)
  return {
    lines,
    code: { x: (PLAQUE.widthMm - side) / 2, y: codeTop, side, module },
    nameMm: parts.name.size,
    sentenceMm: texts.sentence === null ? null : parts.sentence.size,
  }
}

type Parts = Record<'name' | 'years' | 'sentence', FittedText>

/** Fits all texts into lines of `width`, then multiplies their sizes by `scale`. */
function textParts({ name, years, sentence }: PlaqueText, width: number, scale: number): Parts {
  const fit = (text: string, sizes: Sizes): FittedText => {
    const { lines, size } = fitText(text, width, sizes)
    return { lines, size: size * scale }
  }
  const nameText = fit(name, NAME)
  return {
    name: nameText,
    years: { lines: years === null ? [] : [years], size: nameText.size * YEARS_OF_NAME },
    sentence: sentence === null ? { lines: [], size: 0 } : fit(sentence, SENTENCE),
  }
}

function heightOf(parts: Parts): number {
  return Object.values(parts).reduce((sum, { lines, size }) => sum + lines.length * size * LINE_HEIGHT, 0)
}
