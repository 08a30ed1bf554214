/**
 * Writes src/worker/features/previews/card-font.ts, which lists the characters of the preview cards' font and their widths. It
 * reads the font's WOFF 1.0 file (https://www.w3.org/TR/WOFF/). Run: npx node tools/build/card-font.ts
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { inflateSync } from 'node:zlib'

/** Shona, Ndebele and English need `latin`; `latin-ext` has the other European letters. */
const SUBSETS = ['latin', 'latin-ext'] as const
/** Widths are in units of 1/1000 em, rounded up. */
const UNITS = 1000
/** Characters that a name may contain. Control characters and invisible ones are never rendered. */
const VISIBLE = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u

/** The source of `card-font.ts`: runs of consecutive characters, each with its first code point and the widths. */
export function cardFontSource(): string {
  const widths = new Map<number, number>()
  for (const subset of SUBSETS) {
    for (const [code, width] of widthsOf(subset)) {
      if (!widths.has(code) && VISIBLE.test(String.fromCodePoint(code))) widths.set(code, width)
    }
  }
  const runs: string[] = []
  let last = -2
  for (const code of [...widths.keys()].toSorted((a, b) => a - b)) {
    const width = String(widths.get(code))
    if (code === last + 1) runs.push(`${runs.pop()} ${width}`)
    else runs.push(`${code.toString(16)}: ${width}`)
    last = code
  }
  return `/** Made by tools/build/card-font.ts from Source Serif 4 (OFL): \`code point: widths\` in thousandths of the letter's size. */
export const CARD_FONT = \`
${runs.join('\n')}
\`
`
}

/** Code point -> width in the semibold font of one subset. */
function widthsOf(subset: string): Map<number, number> {
  const path = `@fontsource/source-serif-4/files/source-serif-4-${subset}-600-normal.woff`
  const tables = readWoff(readFileSync(createRequire(import.meta.url).resolve(path)))
  const table = (name: string) => {
    const found = tables.get(name)
    if (!found) throw new Error(`${path} has no table ${name}`)
    return found
  }
  const unitsPerEm = table('head').getUint16(18)
  const metrics = table('hhea').getUint16(34)
  const advances = table('hmtx')
  const widths = new Map<number, number>()
  for (const [code, glyph] of readCmap(table('cmap'))) {
    const advance = advances.getUint16(Math.min(glyph, metrics - 1) * 4)
    widths.set(code, Math.ceil((advance * UNITS) / unitsPerEm))
  }
  return widths
}

function readWoff(file: Buffer): Map<string, DataView> {
  const tables = new Map<string, DataView>()
  const count = file.readUInt16BE(12)
  for (let at = 44; at < 44 + count * 20; at += 20) {
    const [offset, packed, length] = [4, 8, 12].map((field) => file.readUInt32BE(at + field))
    const bytes = file.subarray(offset, offset! + packed!)
    const table = packed === length ? bytes : inflateSync(bytes)
    tables.set(
      file.toString('latin1', at, at + 4),
      new DataView(table.buffer, table.byteOffset, table.byteLength),
    )
  }
  return tables
}

/** Code point -> glyph, from the segments of the table (format 4, https://learn.microsoft.com/typography/opentype/spec/cmap). */
function readCmap(cmap: DataView): Map<number, number> {
  const glyphs = new Map<number, number>()
  const records = Array.from({ length: cmap.getUint16(2) }, (_, index) => cmap.getUint32(8 + index * 8))
  const start = records.find((offset) => cmap.getUint16(offset) === 4)
  if (start === undefined) throw new Error('the font has no cmap table of format 4')
  const segments = cmap.getUint16(start + 6) / 2
  const [ends, starts, deltas, offsets] = [14, 16, 16, 16].map(
    (fixed, index) => start + fixed + index * segments * 2,
  ) as [number, number, number, number]
  for (let segment = 0; segment < segments * 2; segment += 2) {
    const [end, first] = [cmap.getUint16(ends + segment), cmap.getUint16(starts + segment)]
    const [delta, offset] = [cmap.getUint16(deltas + segment), cmap.getUint16(offsets + segment)]
    for (let code = first; code <= end && code < 0xffff; code++) {
      const named = offset === 0 ? code : cmap.getUint16(offsets + segment + offset + (code - first) * 2)
      const glyph = offset === 0 || named !== 0 ? (named + delta) & 0xffff : 0
      if (glyph !== 0) glyphs.set(code, glyph)
    }
  }
  return glyphs
}

if (import.meta.main) {
  const path = 'src/worker/features/previews/card-font.ts'
  writeFileSync(new URL(`../../${path}`, import.meta.url), cardFontSource())
}
