import { LINK_CARD } from '#shared/limits.ts'
import { initialsOf } from '#shared/pages/page-titles.ts'
import { SITE_NAME } from '#shared/site-name.ts'
import {
  fitName,
  fitText,
  linesOf,
  widthOf,
  writableName,
  type Sizes,
} from '#worker/features/previews/card-text.ts'
import { escapeHtml } from '#worker/platform/escape.ts'

/** The next gathering: `Burial`, `Saturday 6 June 2026, 10:00, Harare time`, `Mutare`. */
export type PreviewGathering = { title: string; when: string; where: string | null }

export type CardContent = {
  name: string
  /** `1948–2026`, `about 1931 – 2019`, `born 1948`, or null. */
  years: string | null
  /** A JPEG of {@link PORTRAIT} as a data URI, or null. */
  portrait: string | null
  /** Null while none is ahead. */
  gathering: PreviewGathering | null
}

/** In pixels. A white mat frames the portrait like a print. */
export const PORTRAIT = { width: 384, height: 480 } as const

const { width, height } = LINK_CARD
/** Light tokens of src/client/styles/tokens.css: a chat has no dark variant of an image. */
const PAPER = '#fbf9f5'
export const SURFACE = '#ffffff'
const SUNKEN = '#f2eee6'
export const INK = '#22201c'
export const MUTED = '#5c564d'
export const LINE = '#ddd6ca'
export const ACCENT = '#8a3b24'

const FRAME = { x: 88, y: (height - PORTRAIT.height) / 2, mat: 16, hairline: 2 } as const
const TEXT_X = 560
const TEXT_WIDTH = width - TEXT_X - 72
const LINE_HEIGHT = 1.12
const YEARS = { size: 42, above: 22 } as const
const YEARS_ALONE = 72
const RULE = { width: 96, height: 3, above: 30 } as const
const GATHERING = { size: 36, detail: 32, above: 22 } as const
/** Smaller than without a gathering, so that both fit. */
const NAME_ABOVE_GATHERING: Sizes = {
  steps: [
    { size: 68, lines: 2 },
    { size: 56, lines: 2 },
    { size: 46, lines: 3 },
    { size: 38, lines: 4 },
  ],
  smallest: 30,
}
const SITE = { size: 28, y: FRAME.y + PORTRAIT.height - 2 } as const
/** From the top of a line to its baseline, as a fraction of its size. */
const BASELINE = 0.84
const SERIF = `font-family="Source Serif 4"`
/** The logo (src/client/assets/icons/favicon.svg), 32 by 32. */
export const LOGO =
  'M4 30C2.600 23 3.400 13.500 6.800 8 9.600 3.600 13.600 1.900 17.200 2c5.200.2 9.300 3.900 10.800 9.600 1.500 5.800 1.500 12.600.4 18.400zM15.300 25h1.900v-3.300c4.800-.6 7.300-4.600 6.700-12.300-7.600 1.700-9.900 5.400-8.600 10.300-1-2.500-2.900-3.900-6.300-4.300.2 4.300 2.400 6.500 6.300 6.500z'

/** Leaves out a name that the font cannot write; null if it would then show nothing of the person. */
export function cardSvg({ name, years, portrait, gathering }: CardContent): string | null {
  const written = writableName(name)
  if (written === null && portrait === null) return null
  const image = framed(written, portrait, { x: FRAME.x, y: FRAME.y, ...PORTRAIT })
  return onPaper(`${image}${textBlock(written, years && capitalised(years), gathering)}`)
}

export function neutralCardSvg(): string {
  const middle = width / 2
  return onPaper(`<path fill="${ACCENT}" fill-rule="evenodd" transform="translate(${middle - 64} 118) scale(4)" d="${LOGO}"/>
${cardText(SITE_NAME, { x: middle, y: 384, size: 76, fill: INK, weight: 600, anchor: 'middle' })}
<rect x="${middle - RULE.width / 2}" y="424" width="${RULE.width}" height="${RULE.height}" fill="${ACCENT}"/>
${cardText('A lasting place for their story', { x: middle, y: 502, size: 40, fill: MUTED, weight: 400, anchor: 'middle' })}`)
}

/** An SVG of a card's size with this content on the background. */
export function onPaper(content: string, size: { width: number; height: number } = LINK_CARD): string {
  const sides = `width="${size.width}" height="${size.height}"`
  return `<svg xmlns="http://www.w3.org/2000/svg" ${sides}><rect ${sides} fill="${PAPER}"/>
${content}
</svg>`
}

type Box = { x: number; y: number; width: number; height: number }

/** The portrait in its frame; without one, the initials. */
export function framed(name: string | null, portrait: string | null, { x, y, ...sides }: Box): string {
  const around = (space: number, fill: string) =>
    `<rect x="${x - space}" y="${y - space}" width="${sides.width + 2 * space}" height="${sides.height + 2 * space}" rx="6" fill="${fill}"/>`
  const frame = around(FRAME.mat + FRAME.hairline, LINE) + around(FRAME.mat, SURFACE)
  const box = `x="${x}" y="${y}" width="${sides.width}" height="${sides.height}"`
  if (portrait !== null)
    return `${frame}<image ${box} preserveAspectRatio="none" href="${escapeHtml(portrait)}"/>`
  const size = Math.round(sides.height * 0.308)
  const middle = { x: x + sides.width / 2, y: y + sides.height / 2 + size * 0.34 }
  return `${frame}<rect ${box} fill="${SUNKEN}"/>
${cardText(initialsOf(name ?? ''), { ...middle, size, fill: MUTED, weight: 600, anchor: 'middle' })}`
}

type Row = { content: string; size: number; fill: string; weight: 400 | 600; above: number }

/** Name, years, rule and gathering as one block, vertically centred above the name of the service. */
function textBlock(name: string | null, years: string | null, gathering: PreviewGathering | null): string {
  const rows: Row[] = []
  const fit = gathering === null ? fitName : fitNameAboveGathering
  const { lines, size } = name === null ? { lines: [], size: 0 } : fit(name, TEXT_WIDTH)
  for (const content of lines) rows.push({ content, size, fill: INK, weight: 600, above: 0 })
  if (years !== null && lines.length > 0) rows.push({ content: years, ...YEARS, fill: MUTED, weight: 400 })
  // If the font cannot write the name, the years take its place.
  if (years !== null && lines.length === 0) {
    const fitting = Math.min(YEARS_ALONE, TEXT_WIDTH / widthOf(years, 1))
    rows.push({ content: years, size: fitting, fill: INK, weight: 600, above: 0 })
  }
  const below = gathering === null ? [] : gatheringRows(gathering)
  const block = heightOf(rows) + RULE.above + RULE.height + heightOf(below)
  const top = FRAME.y + (SITE.y - SITE.size - FRAME.y - block) / 2
  const ruleTop = top + heightOf(rows) + RULE.above
  return [
    ...drawRows(rows, top),
    `<rect x="${TEXT_X}" y="${ruleTop.toFixed(1)}" width="${RULE.width}" height="${RULE.height}" fill="${ACCENT}"/>`,
    ...drawRows(below, ruleTop + RULE.height),
    cardText(SITE_NAME, { x: TEXT_X, y: SITE.y, size: SITE.size, fill: MUTED, weight: 400 }),
  ].join('\n')
}

function fitNameAboveGathering(name: string, available: number) {
  return fitText(name, available, NAME_ABOVE_GATHERING)
}

function gatheringRows({ title, when, where }: PreviewGathering): Row[] {
  const { size, detail, above } = GATHERING
  const fitting = Math.min(detail, TEXT_WIDTH / widthOf(when, 1))
  const line = (content: string): Row => ({ content, size: fitting, fill: INK, weight: 400, above: 0 })
  return [
    ...linesOf(title, size, TEXT_WIDTH, 1).map((content): Row => ({
      content,
      size,
      fill: INK,
      weight: 600,
      above,
    })),
    line(when),
    ...(where === null ? [] : linesOf(where, fitting, TEXT_WIDTH, 1).map(line)),
  ]
}

function heightOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { above, size }) => sum + above + size * LINE_HEIGHT, 0)
}

function drawRows(rows: readonly Row[], top: number): string[] {
  let y = top
  return rows.map((row) => {
    const baseline = y + row.above + row.size * BASELINE
    y += row.above + row.size * LINE_HEIGHT
    return cardText(row.content, { ...row, x: TEXT_X, y: baseline })
  })
}

function capitalised(years: string): string {
  return years.charAt(0).toUpperCase() + years.slice(1)
}

type Setting = { x: number; y: number; size: number; fill: string; weight: 400 | 600; anchor?: 'middle' }

export function cardText(content: string, { x, y, size, fill, weight, anchor }: Setting): string {
  return `<text x="${x}" y="${y.toFixed(1)}" ${SERIF} font-weight="${weight}" font-size="${size}" fill="${fill}"${anchor ? ` text-anchor="${anchor}"` : ''}>${escapeHtml(content)}</text>`
}
