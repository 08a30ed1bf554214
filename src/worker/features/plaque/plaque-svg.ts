import QRCode from 'qrcode-svg'
import { PLAQUE } from '#shared/limits.ts'
import type { Plaque } from '#shared/plaque.ts'
import {
  LINE_WIDTH,
  layOutPlaque,
  type PlaqueLayout,
  type PlaqueLine,
  type PlaqueText,
} from '#worker/features/plaque/plaque-layout.ts'
import { withoutEmoji, writableName } from '#worker/features/previews/card-text.ts'
import { escapeHtml } from '#worker/platform/escape.ts'

/** Around the plaque where it shows where to cut: the marks are 5 mm long and begin 2 mm outside. */
const MARKS = { room: 8, from: 2, length: 5 } as const
const FAMILY = "'Source Serif 4', 'Noto Serif', serif"

/**
 * A plaque as SVG in millimetres, black on white: name, years, the code of `url` with error correction Q, the sentence. Letters
 * are outlines (`outline` makes them), so that they look the same wherever the file is opened. Where one is missing in
 * our font all stand as text instead, for the engraver to set.
 */
export async function plaqueSvg(
  said: PlaqueText,
  { url, hasMarks, outline }: { url: string; hasMarks: boolean; outline: (svg: string) => Promise<string> },
): Promise<Plaque> {
  const { words, isOutlined } = writable(said)
  const { modules } = new QRCode({ content: url, ecl: 'Q', padding: 0 }).qrcode
  const layout = layOutPlaque(words, modules.length, isOutlined ? LINE_WIDTH.ours : LINE_WIDTH.unknown)
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

/** What is to be written: without emoji where our font has all the rest, else as the family wrote it. */
function writable(said: PlaqueText): { words: PlaqueText; isOutlined: boolean } {
  const sentence = said.sentence === null || withoutEmoji(said.sentence) === '' ? null : said.sentence
  const written = { name: writableName(said.name), sentence: sentence && writableName(sentence) }
  if (written.name === null || (sentence !== null && written.sentence === null))
    return { words: { ...said, sentence }, isOutlined: false }
  return { words: { ...said, name: written.name, sentence: written.sentence }, isOutlined: true }
}

function textDocument(lines: PlaqueLine[]): string {
  const { widthMm, heightMm } = PLAQUE
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${widthMm}" height="${heightMm}">${lines.map(lineOf).join('')}</svg>`
}

function lineOf({ text, y, size }: PlaqueLine): string {
  return `<text x="${PLAQUE.widthMm / 2}" y="${rounded(y)}" text-anchor="middle" font-family="${FAMILY}" font-weight="600" font-size="${rounded(size)}" fill="#000">${escapeHtml(text)}</text>`
}

/** Rows of dark squares as bars: whoever cuts them out gets fewer and longer pieces. */
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

/** To a micrometre. */
function rounded(mm: number): number {
  return Number(mm.toFixed(3))
}
