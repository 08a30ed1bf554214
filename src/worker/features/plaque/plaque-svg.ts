import QRCode from 'qrcode-svg'
import { PLAQUE } from '#shared/limits.ts'
import type { Plaque } from '#shared/location.ts'
import {
  LINE_WIDTH,
  layOutPlaque,
  type PlaqueLayout,
  type PlaqueLine,
  type PlaqueText,
} from '#worker/features/plaque/plaque-layout.ts'
import { withoutEmoji, writableName } from '#worker/features/previews/card-text.ts'
import { escapeHtml } from '#worker/platform/escape.ts'

/** Crop marks, in millimetres: 5 mm long, starting 2 mm outside the plaque. */
const MARKS = { room: 8, from: 2, length: 5 } as const
const FAMILY = "'Source Serif 4', 'Noto Serif', serif"

/**
 * Renders a plaque as SVG in millimetres, black on white: name, years, the code of `url` with error correction Q, and
 * sentence. `outline` converts text to outlines, so that it looks the same in every program. If our font lacks a
 * character, all text stays text, for the engraver to set.
 */
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
