import { PLAQUE, PLAQUE_CODE } from '#shared/limits.ts'
import { fitText, type FittedText, type Sizes } from '#worker/features/previews/card-text.ts'

export type PlaqueText = { name: string; years: string | null; sentence: string | null }
/** One line in the middle of the plaque; `y` is where its letters stand. Millimetres. */
export type PlaqueLine = { text: string; y: number; size: number }
export type PlaqueLayout = {
  lines: PlaqueLine[]
  /** The code without its white edge: its upper left corner, its side, one of its squares. */
  code: { x: number; y: number; side: number; module: number }
  nameMm: number
  sentenceMm: number | null
}

/** ISO/IEC 18004: four modules of white on every side. */
const QUIET_MODULES = 4
/** Between what is written and the edge of the plaque: more than an engraver asks for, so that accents have room. */
const MARGIN = PLAQUE.edgeMm + 2
/** How wide a line may be where letters are our own, and where somebody else's font, of which we know nothing, writes them. */
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
/** Letters stand on their line, this much of their size below the top of it. */
const BASELINE = 0.9
/** Where everything together is higher than the plaque, all letters become this much smaller at once. */
const SMALLER = 0.95

/**
 * Where everything stands on a plaque: name, years, code of `modules` squares a side, sentence, one below the other in the
 * middle, no line wider than `width`. The code is as large as it must be, letters take what is left.
 */
export function layOutPlaque(words: PlaqueText, modules: number, width: number): PlaqueLayout {
  const module = Math.max(PLAQUE_CODE.moduleMinMm, Math.ceil((PLAQUE_CODE.minMm / modules) * 20) / 20)
  const side = modules * module
  const codeBlock = side + 2 * QUIET_MODULES * module
  let scale = 1
  let parts = textParts(words, width / scale, scale)
  while (codeBlock + heightOf(parts) > HEIGHT) {
    scale *= SMALLER
    parts = textParts(words, width / scale, scale)
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
    sentenceMm: words.sentence === null ? null : parts.sentence.size,
  }
}

type Parts = Record<'name' | 'years' | 'sentence', FittedText>

/** All letters `scale` times as large as they would be on lines of `width`. */
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
