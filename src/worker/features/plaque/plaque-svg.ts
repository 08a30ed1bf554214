import QRCode from 'qrcode-svg'
import { PLAQUE, PLAQUE_CODE } from '#shared/limits.ts'
import type { Plaque } from '#shared/memorials/plaque.ts'
import {
  withoutEmoji,
  writableName,
  fitText,
  widthOf,
  type FittedText,
  type Sizes,
} from '#worker/features/previews/card-text.ts'
import { escapeHtml } from '#worker/platform/escape.ts'

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

/** One centred column, no line wider than `width`. The code has its minimum size; the text gets the rest. */
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
  const yearsSize = (text: string) =>
    Math.min(nameText.size * YEARS_OF_NAME, (width * scale) / widthOf(text, 1))
  return {
    name: nameText,
    years: years === null ? { lines: [], size: 0 } : { lines: [years], size: yearsSize(years) },
    sentence: sentence === null ? { lines: [], size: 0 } : fit(sentence, SENTENCE),
  }
}

function heightOf(parts: Parts): number {
  return Object.values(parts).reduce((sum, { lines, size }) => sum + lines.length * size * LINE_HEIGHT, 0)
}

/** Crop marks, in millimetres: 5 mm long, starting 2 mm outside the plaque. */
const MARKS = { room: 8, from: 2, length: 5 } as const
const FAMILY = "'Source Serif 4', 'Noto Serif', serif"

/** `outline` makes text look the same in every program. If our font lacks a letter, all text stays text. */
export async function plaqueSvg(
  content: PlaqueText,
  { url, hasMarks, outline }: { url: string; hasMarks: boolean; outline: (svg: string) => Promise<string> },
): Promise<Plaque> {
  const { texts, isOutlined } = prepareText(content)
  const { modules } = new QRCode({ content: url, ecl: 'Q', padding: 0 }).qrcode
  const layout = layOutPlaque(texts, modules.length, isOutlined ? LINE_WIDTH.ours : LINE_WIDTH.unknown)
  const letters = isOutlined
    ? `<path fill="#000" d="${await outline(textDocument(layout.lines))}"/>`
    : layout.lines.map(lineOf).join('')
  const room = hasMarks ? MARKS.room : 0
  const [widthMm, heightMm] = [PLAQUE.widthMm + 2 * room, PLAQUE.heightMm + 2 * room]
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${widthMm}mm" height="${heightMm}mm" ` +
    `viewBox="${-room} ${-room} ${widthMm} ${heightMm}">` +
    `<rect x="${-room}" y="${-room}" width="${widthMm}" height="${heightMm}" fill="#fff"/>` +
    letters +
    `<path fill="#000" shape-rendering="crispEdges" d="${codePath(modules, layout.code)}"/>` +
    (hasMarks ? `<path fill="none" stroke="#000" stroke-width="0.1" d="${marksPath()}"/>` : '') +
    '</svg>\n'
  return {
    url,
    svg,
    widthMm,
    heightMm,
    codeMm: rounded(layout.code.side),
    moduleMm: rounded(layout.code.module),
    nameMm: rounded(layout.nameMm),
    sentenceMm: layout.sentenceMm === null ? null : rounded(layout.sentenceMm),
    isOutlined,
  }
}

/** Returns the texts without emoji if our font has all other characters, else as the family wrote them. */
function prepareText(content: PlaqueText): { texts: PlaqueText; isOutlined: boolean } {
  const sentence =
    content.sentence === null || withoutEmoji(content.sentence) === '' ? null : content.sentence
  const written = { name: writableName(content.name), sentence: sentence && writableName(sentence) }
  if (written.name === null || (sentence !== null && written.sentence === null))
    return { texts: { ...content, sentence }, isOutlined: false }
  return { texts: { ...content, name: written.name, sentence: written.sentence }, isOutlined: true }
}

function textDocument(lines: PlaqueLine[]): string {
  const { widthMm, heightMm } = PLAQUE
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${widthMm}" height="${heightMm}">${lines.map(lineOf).join('')}</svg>`
}

function lineOf({ text, y, size }: PlaqueLine): string {
  return `<text x="${PLAQUE.widthMm / 2}" y="${rounded(y)}" text-anchor="middle" font-family="${FAMILY}" font-weight="600" font-size="${rounded(size)}" fill="#000">${escapeHtml(text)}</text>`
}

/** Joins adjacent dark modules into bars, so that engravers cut fewer and longer shapes. */
function codePath(modules: boolean[][], { x, y, module }: PlaqueLayout['code']): string {
  const bars: string[] = []
  for (const [row, squares] of modules.entries()) {
    for (let column = 0; column < squares.length; column++) {
      if (!squares[column]) continue
      const from = column
      while (squares[column + 1]) column++
      const width = rounded((column + 1 - from) * module)
      bars.push(
        `M${rounded(x + from * module)} ${rounded(y + row * module)}h${width}v${rounded(module)}h${-width}z`,
      )
    }
  }
  return bars.join('')
}

function marksPath(): string {
  const { widthMm, heightMm } = PLAQUE
  const { from, length } = MARKS
  return [0, widthMm]
    .flatMap((x) =>
      [0, heightMm].map((y) => {
        const [outX, outY] = [x === 0 ? -1 : 1, y === 0 ? -1 : 1]
        return `M${x + outX * from} ${y}h${outX * length}M${x} ${y + outY * from}v${outY * length}`
      }),
    )
    .join('')
}

/** Rounds to micrometres. */
function rounded(mm: number): number {
  return Number(mm.toFixed(3))
}
