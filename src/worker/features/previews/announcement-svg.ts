import QRCode from 'qrcode-svg'
import type { CardShape } from '#shared/funeral/funeral.ts'
import { ANNOUNCEMENT_CARD } from '#shared/limits.ts'
import { announcementMessages } from '#shared/funeral/announcement-messages.ts'
import { qrPath } from '#shared/memorials/qr-path.ts'
import { SITE_NAME } from '#shared/site-name.ts'
import { ACCENT, cardText, framed, INK, LINE, MUTED, onPaper } from '#worker/features/previews/card-svg.ts'
import { fitName, linesOf, widthOf, nearlyWritable } from '#worker/features/previews/card-text.ts'

/** A gathering on a card, in letters of its font. `brief`: time and place on one line. */
export type CardGathering = {
  title: string
  isCancelled: boolean
  when: string
  isTimeChanged: boolean
  where: string | null
  isPlaceChanged: boolean
  brief: string
}
/** Everything that an announcement's card shows, except for the portrait's pixels. */
export type AnnouncementContent = {
  name: string
  dates: string | null
  gatherings: readonly CardGathering[]
  /** Of the page: the code's content, and what is written beside it. */
  link: string
}

type Row = { text: string; size: number; fill: string; weight: 400 | 600; above: number }
type Column = { x: number; width: number; anchor?: 'middle' }
/** `isAbove`: the portrait is above the name, and all is centred; else it is beside the name. */
type Arrangement = { isAbove: boolean; size: number; isBrief: boolean }

const MARGIN = 72
/** Free at the top and bottom. A phone puts its own controls over the ends of a status. */
const ENDS: Record<CardShape, { top: number; bottom: number }> = {
  portrait: { top: 64, bottom: 56 },
  story: { top: 150, bottom: 150 },
}
const PORTRAIT_ABOVE: Record<CardShape, { width: number; height: number }> = {
  portrait: { width: 336, height: 420 },
  story: { width: 480, height: 600 },
}
const PORTRAIT_BESIDE = { width: 272, height: 340 }
const PORTRAIT_BRIEF = { width: 208, height: 260 }
/** What is asked of the Images binding: as large as the largest. */
export const ANNOUNCEMENT_PORTRAIT = PORTRAIT_ABOVE.story
const MAT = 18
/** Tried in turn until all gatherings fit. The last one leaves some out, because smaller letters can't be read on a phone. */
const ARRANGEMENTS: readonly Arrangement[] = [
  { isAbove: true, size: 52, isBrief: false },
  { isAbove: true, size: 46, isBrief: false },
  { isAbove: true, size: 40, isBrief: false },
  { isAbove: false, size: 42, isBrief: false },
  { isAbove: false, size: 38, isBrief: false },
  { isAbove: false, size: 34, isBrief: false },
  { isAbove: false, size: 36, isBrief: true },
  { isAbove: false, size: 31, isBrief: true },
]
const LINE_HEIGHT = 1.2
/** From the top of a line to its baseline, as a fraction of its size. */
const BASELINE = 0.88
const DETAIL = 0.84
const CODE = { side: 236, quietModules: 4 } as const
const FOOT = { gap: 32, note: 30, site: 26 } as const
const ADDRESS_SIZES = [38, 34, 30] as const
const SMALL_ADDRESS = 28
const DATES = 40
const RULE = { width: 96, height: 3, above: 26, below: 34 } as const

/** The card of an announcement: portrait, name, dates, gatherings, and the page's address as text and QR code. */
export function announcementSvg(
  content: AnnouncementContent,
  portrait: string | null,
  shape: CardShape,
): string {
  const { width, height } = ANNOUNCEMENT_CARD[shape]
  const { top, bottom } = ENDS[shape]
  const footTop = height - bottom - CODE.side
  const room = footTop - FOOT.gap - top
  let body: Layout | undefined
  for (const arrangement of ARRANGEMENTS) {
    body = layOut(content, portrait, shape, arrangement, room)
    if (body.isWhole) break
  }
  const start = top + Math.max(0, room - (body?.height ?? 0)) / 2
  return onPaper(`${body?.draw(start) ?? ''}${foot(content, footTop)}`, { width, height })
}

type Layout = { isWhole: boolean; height: number; draw: (top: number) => string }

function layOut(
  { name, dates, gatherings }: AnnouncementContent,
  portrait: string | null,
  shape: CardShape,
  { isAbove, size, isBrief }: Arrangement,
  room: number,
): Layout {
  const width = ANNOUNCEMENT_CARD[shape].width - 2 * MARGIN
  const written = nearlyWritable(name)
  const hasFrame = portrait !== null || written !== null
  const sides = isAbove ? PORTRAIT_ABOVE[shape] : isBrief ? PORTRAIT_BRIEF : PORTRAIT_BESIDE
  const framedWidth = hasFrame ? sides.width + 2 * MAT : 0
  const framedHeight = hasFrame ? sides.height + 2 * MAT : 0
  const indent = isAbove || !hasFrame ? 0 : framedWidth + 40
  const column: Column = isAbove
    ? { x: MARGIN + width / 2, width, anchor: 'middle' }
    : { x: MARGIN + indent, width: width - indent }
  const person = personRows(written, dates, column.width)
  const gap = isAbove && hasFrame ? 30 : 0
  const headHeight = isAbove
    ? framedHeight + gap + heightOf(person)
    : Math.max(framedHeight, heightOf(person))
  const listColumn: Column = isAbove ? column : { x: MARGIN, width }
  const ruleHeight = RULE.above + RULE.height + RULE.below
  const listRoom = room - headHeight - ruleHeight
  const { rows, isWhole } = listRows(gatherings, { size, isBrief, width, room: listRoom })
  return {
    isWhole,
    height: headHeight + (rows.length > 0 ? ruleHeight + heightOf(rows) : 0),
    draw(top) {
      const box = { x: isAbove ? MARGIN + (width - sides.width) / 2 : MARGIN + MAT, y: top + MAT, ...sides }
      const personTop = isAbove ? top + framedHeight + gap : top + (headHeight - heightOf(person)) / 2
      const ruleTop = top + headHeight + RULE.above
      const ruleX = isAbove ? MARGIN + (width - RULE.width) / 2 : MARGIN
      return [
        hasFrame ? framed(written, portrait, box) : '',
        drawRows(person, column, personTop),
        rows.length > 0
          ? `<rect x="${ruleX}" y="${ruleTop.toFixed(1)}" width="${RULE.width}" height="${RULE.height}" fill="${ACCENT}"/>`
          : '',
        drawRows(rows, listColumn, ruleTop + RULE.height + RULE.below),
      ].join('\n')
    },
  }
}

/** Without the name if the font lacks a letter of it. */
function personRows(name: string | null, dates: string | null, width: number): Row[] {
  const { lines, size } = name === null ? { lines: [], size: 0 } : fitName(name, width)
  const rows: Row[] = lines.map((text) => ({ text, size, fill: INK, weight: 600, above: 0 }))
  if (dates !== null) {
    const datesSize = Math.min(DATES, width / widthOf(dates, 1))
    rows.push({ text: dates, size: datesSize, fill: MUTED, weight: 400, above: 10 })
  }
  return rows
}

/** The rows of as many gatherings as fit, and how many are left out. */
function listRows(
  gatherings: readonly CardGathering[],
  { size, isBrief, width, room }: { size: number; isBrief: boolean; width: number; room: number },
): { rows: Row[]; isWhole: boolean } {
  const entries = gatherings.map((gathering, index) =>
    entryRows(gathering, { size, isBrief, width, above: index === 0 ? 0 : size * (isBrief ? 0.44 : 0.62) }),
  )
  const whole = entries.flat()
  if (heightOf(whole) <= room) return { rows: whole, isWhole: true }
  for (let count = entries.length - 1; count > 0; count--) {
    const text = announcementMessages.more(entries.length - count)
    const more: Row = { text, size: size * DETAIL, fill: INK, weight: 600, above: size * 0.62 }
    const rows = [...entries.slice(0, count).flat(), more]
    if (heightOf(rows) <= room || count === 1) return { rows, isWhole: false }
  }
  return { rows: whole, isWhole: false }
}

function entryRows(
  gathering: CardGathering,
  { size, isBrief, width, above }: { size: number; isBrief: boolean; width: number; above: number },
): Row[] {
  const { isCancelled, isTimeChanged, isPlaceChanged, when, where, brief } = gathering
  const detail = size * DETAIL
  const most = isBrief ? 1 : 2
  const title = isCancelled ? announcementMessages.cancelled(gathering.title) : gathering.title
  const of = (text: string, isStrong: boolean, fill: string): Row[] =>
    linesOf(text, detail, width, most).map((line) => ({
      text: line,
      size: detail,
      fill: isStrong ? ACCENT : fill,
      weight: isStrong ? 600 : 400,
      above: 0,
    }))
  const heading = linesOf(title, size, width, most).map((text, index): Row => ({
    text,
    size,
    fill: isCancelled ? ACCENT : INK,
    weight: 600,
    above: index === 0 ? above : 0,
  }))
  const fill = isCancelled ? MUTED : INK
  if (isBrief) return [...heading, ...of(brief, isTimeChanged || isPlaceChanged, fill)]
  return [
    ...heading,
    ...of(when, isTimeChanged, fill),
    ...(where === null ? [] : of(where, isPlaceChanged, MUTED)),
  ]
}

/** The code with its address, and that times can change, for whoever sees this card later. */
function foot({ link, gatherings }: AnnouncementContent, top: number): string {
  const width = ANNOUNCEMENT_CARD.portrait.width - 2 * MARGIN
  const textWidth = width - CODE.side - 40
  const { modules } = new QRCode({ content: link, ecl: 'M', padding: CODE.quietModules }).qrcode
  const count = modules.length + 2 * CODE.quietModules
  const scale = CODE.side / count
  const { timesCanChange, story } = announcementMessages
  const note = gatherings.length > 0 ? timesCanChange : story
  const { lines, size } = addressLines(link.replace(/^https?:\/\//u, ''), textWidth)
  const rows: Row[] = [
    { text: note, size: FOOT.note, fill: INK, weight: 400, above: 0 },
    ...lines.map((text, index): Row => ({
      text,
      size,
      fill: ACCENT,
      weight: 600,
      above: index === 0 ? 10 : 0,
    })),
    { text: SITE_NAME, size: FOOT.site, fill: MUTED, weight: 400, above: 14 },
  ]
  const x = MARGIN + width - CODE.side
  return `<rect x="${MARGIN}" y="${top - FOOT.gap / 2}" width="${width}" height="2" fill="${LINE}"/>
${drawRows(rows, { x: MARGIN, width: textWidth }, top + (CODE.side - heightOf(rows)) / 2)}
<rect x="${x}" y="${top}" width="${CODE.side}" height="${CODE.side}" fill="#ffffff"/>
<path transform="translate(${x} ${top}) scale(${scale.toFixed(4)})" shape-rendering="crispEdges" fill="#000000" d="${qrPath(modules, CODE.quietModules)}"/>`
}

/** Breaks an address only after a slash or hyphen, as nobody takes those for added. */
function addressLines(address: string, width: number): { lines: string[]; size: number } {
  const host = address.slice(0, address.lastIndexOf('/') + 1)
  const slug = address.slice(host.length)
  for (const lines of [[address], [host, slug]]) {
    const size = ADDRESS_SIZES.find((step) => lines.every((line) => widthOf(line, step) <= width))
    if (size !== undefined) return { lines, size }
  }
  const size = SMALL_ADDRESS
  const lines: string[] = ['']
  for (const part of address.split(/(?<=[/-])/u)) {
    const longer = `${lines.at(-1)}${part}`
    if (widthOf(longer, size) <= width) lines[lines.length - 1] = longer
    else lines.push(part)
  }
  return { lines, size }
}

function heightOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { above, size }) => sum + above + size * LINE_HEIGHT, 0)
}

function drawRows(rows: readonly Row[], { x, anchor }: Column, top: number): string {
  let y = top
  return rows
    .map(({ text, size, fill, weight, above }) => {
      const baseline = y + above + size * BASELINE
      y += above + size * LINE_HEIGHT
      return cardText(text, { x, y: baseline, size, fill, weight, ...(anchor && { anchor }) })
    })
    .join('\n')
}
