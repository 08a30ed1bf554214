import { LINK_CARD } from '#shared/limits.ts'
import { initialsOf } from '#shared/page-titles.ts'
import { SITE_NAME } from '#shared/site-name.ts'
import { fitName, widthOf, writableName } from '#worker/features/previews/card-text.ts'
import { escapeHtml } from '#worker/platform/escape.ts'

export type CardContent = {
  name: string
  /** `1948–2026`, `about 1931 – 2019`, `born 1948`, or null. */
  years: string | null
  /** A JPEG of {@link PORTRAIT} as a data URI, or null. */
  portrait: string | null
}

/** In pixels. A white mat frames the portrait like a print. */
export const PORTRAIT = { width: 384, height: 480 } as const

const { width, height } = LINK_CARD
/** Light tokens of src/client/styles/tokens.css: a chat has no dark variant of an image. */
const PAPER = '#fbf9f5'
const SURFACE = '#ffffff'
const SUNKEN = '#f2eee6'
export const INK = '#22201c'
export const MUTED = '#5c564d'
const LINE = '#ddd6ca'
export const ACCENT = '#8a3b24'

const FRAME = { x: 88, y: (height - PORTRAIT.height) / 2, mat: 16, hairline: 2 } as const
const TEXT_X = 560
const TEXT_WIDTH = width - TEXT_X - 72
const LINE_HEIGHT = 1.12
const YEARS = { size: 42, above: 22 } as const
const YEARS_ALONE = 72
const RULE = { width: 96, height: 3, above: 30 } as const
const SITE = { size: 28, y: FRAME.y + PORTRAIT.height - 2 } as const
/** From the top of a line to its baseline, as a fraction of its size. */
const BASELINE = 0.84
const SERIF = `font-family="Source Serif 4"`
/** The logo (src/client/assets/icons/favicon.svg), 32 by 32. */
export const LOGO =
  'M4 30C2.600 23 3.400 13.500 6.800 8 9.600 3.600 13.600 1.900 17.200 2c5.200.2 9.300 3.900 10.800 9.600 1.500 5.800 1.500 12.600.4 18.400zM15.300 25h1.900v-3.300c4.800-.6 7.300-4.600 6.700-12.300-7.600 1.700-9.900 5.400-8.600 10.300-1-2.500-2.900-3.900-6.300-4.300.2 4.300 2.400 6.500 6.300 6.500z'

/** Leaves out a name that the font cannot write; null if it would then show nothing of the person. */
export function cardSvg({ name, years, portrait }: CardContent): string | null {
  const written = writableName(name)
  if (written === null && portrait === null) return null
  const image = portrait === null ? initials(written ?? '') : portraitImage(portrait)
  return onPaper(`${frame()}${image}${textBlock(written, years && capitalised(years))}`)
}

export function neutralCardSvg(): string {
  const middle = width / 2
  return onPaper(`<path fill="${ACCENT}" fill-rule="evenodd" transform="translate(${middle - 64} 118) scale(4)" d="${LOGO}"/>
${cardText(SITE_NAME, { x: middle, y: 384, size: 76, fill: INK, weight: 600, anchor: 'middle' })}
<rect x="${middle - RULE.width / 2}" y="424" width="${RULE.width}" height="${RULE.height}" fill="${ACCENT}"/>
${cardText('A lasting place for their story', { x: middle, y: 502, size: 40, fill: MUTED, weight: 400, anchor: 'middle' })}`)
}

/** An SVG of a card's size with this content on the background. */
export function onPaper(content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="${width}" height="${height}" fill="${PAPER}"/>
${content}
</svg>`
}

function frame(): string {
  const around = (space: number, fill: string) =>
    `<rect x="${FRAME.x - space}" y="${FRAME.y - space}" width="${PORTRAIT.width + 2 * space}" height="${PORTRAIT.height + 2 * space}" rx="6" fill="${fill}"/>`
  return around(FRAME.mat + FRAME.hairline, LINE) + around(FRAME.mat, SURFACE)
}

function portraitImage(portrait: string): string {
  return `<image x="${FRAME.x}" y="${FRAME.y}" width="${PORTRAIT.width}" height="${PORTRAIT.height}" preserveAspectRatio="none" href="${escapeHtml(portrait)}"/>`
}

function initials(name: string): string {
  const middle = { x: FRAME.x + PORTRAIT.width / 2, y: FRAME.y + PORTRAIT.height / 2 }
  const size = 148
  return `<rect x="${FRAME.x}" y="${FRAME.y}" width="${PORTRAIT.width}" height="${PORTRAIT.height}" fill="${SUNKEN}"/>
${cardText(initialsOf(name), { x: middle.x, y: middle.y + size * 0.34, size, fill: MUTED, weight: 600, anchor: 'middle' })}`
}

/** Name, years and rule as one block, vertically centred above the name of the service. */
function textBlock(name: string | null, years: string | null): string {
  const rows: { content: string; size: number; fill: string; weight: 400 | 600; above: number }[] = []
  const { lines, size } = name === null ? { lines: [], size: 0 } : fitName(name, TEXT_WIDTH)
  for (const content of lines) rows.push({ content, size, fill: INK, weight: 600, above: 0 })
  if (years !== null && lines.length > 0) rows.push({ content: years, ...YEARS, fill: MUTED, weight: 400 })
  // If the font cannot write the name, the years take its place.
  if (years !== null && lines.length === 0) {
    const fitting = Math.min(YEARS_ALONE, TEXT_WIDTH / widthOf(years, 1))
    rows.push({ content: years, size: fitting, fill: INK, weight: 600, above: 0 })
  }
  const heights = rows.map((row) => row.above + row.size * LINE_HEIGHT)
  const block = heights.reduce((sum, one) => sum + one, RULE.above + RULE.height)
  let y = FRAME.y + (SITE.y - SITE.size - FRAME.y - block) / 2
  const written = rows.map((row, index) => {
    const baseline = y + row.above + row.size * BASELINE
    y += heights[index] ?? 0
    return cardText(row.content, { ...row, x: TEXT_X, y: baseline })
  })
  return [
    ...written,
    `<rect x="${TEXT_X}" y="${(y + RULE.above).toFixed(1)}" width="${RULE.width}" height="${RULE.height}" fill="${ACCENT}"/>`,
    cardText(SITE_NAME, { x: TEXT_X, y: SITE.y, size: SITE.size, fill: MUTED, weight: 400 }),
  ].join('\n')
}

function capitalised(years: string): string {
  return years.charAt(0).toUpperCase() + years.slice(1)
}

type Setting = { x: number; y: number; size: number; fill: string; weight: 400 | 600; anchor?: 'middle' }

export function cardText(content: string, { x, y, size, fill, weight, anchor }: Setting): string {
  return `<text x="${x}" y="${y.toFixed(1)}" ${SERIF} font-weight="${weight}" font-size="${size}" fill="${fill}"${anchor ? ` text-anchor="${anchor}"` : ''}>${escapeHtml(content)}</text>`
}
