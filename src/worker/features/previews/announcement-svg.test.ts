import { expect, test } from 'vitest'
import { aGathering } from '#shared/funeral/a-gathering.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { ANNOUNCEMENT_CARD } from '#shared/limits.ts'
import { announcementSvg } from '#worker/features/previews/announcement-svg.ts'
import { toCardGathering } from '#worker/features/previews/card-gatherings.ts'
import { widthOf } from '#worker/features/previews/card-text.ts'
import { decodeQr } from '../../../../test/worker/pixels.ts'

const LINK = 'https://nhaka.example/m/tendai-moyo-k7q2mx'
const PERSON = { name: 'Tendai Rudo Moyo', dates: '14 March 1948 – 2 June 2026', link: LINK }
const BURIAL = aGathering({ venueName: 'Yeovil Cemetery', city: 'Mutare' })
const SHAPES = ['portrait', 'story'] as const
const LONG = 'Nomathemba Thandekile Sibongile Ndlovu-Mkhwananzi '
const HUGE = {
  title: LONG.repeat(4).trim(),
  venueName: LONG.repeat(4).trim(),
  addressLine: 'W'.repeat(500),
  city: 'W'.repeat(100),
}

function svgOf(events: FuneralEvent[], shape: (typeof SHAPES)[number] = 'portrait', person = {}): string {
  const content = { ...PERSON, ...person, gatherings: events.map(toCardGathering) }
  return announcementSvg(content, null, shape)
}

/** What is written on a card, with its place and size in pixels. */
function textsOf(svg: string): { text: string; x: number; y: number; size: number; isCentred: boolean }[] {
  const found = svg.matchAll(
    /<text x="([\d.]+)" y="([\d.]+)" [^>]*font-size="([\d.]+)" [^>]*?(text-anchor="middle")?>([^<]*)</gu,
  )
  return [...found].map(([, x, y, size, anchor, text = '']) => ({
    text: text.replaceAll('&#39;', "'"),
    x: Number(x),
    y: Number(y),
    size: Number(size),
    isCentred: anchor !== undefined,
  }))
}

const written = (svg: string) => textsOf(svg).map(({ text }) => text)
const many = (count: number, fields: Partial<FuneralEvent> = {}) =>
  Array.from({ length: count }, (_, index) => ({ ...BURIAL, ...fields, id: `fun_${index}` }))

test('a card shows person, gathering, address and that times can change', () => {
  expect(written(svgOf([BURIAL]))).toEqual([
    'TM',
    'Tendai Rudo Moyo',
    '14 March 1948 – 2 June 2026',
    'Burial',
    'Saturday 6 June 2026, 10:00, Harare time',
    'Yeovil Cemetery, Mutare',
    'Times can change: see the link',
    'nhaka.example/m/tendai-moyo-k7q2mx',
    'Keeping Legacies Alive',
  ])
})

test('the code on a card opens the page', () => {
  const [, scale, path = ''] = /scale\(([\d.]+)\)"[^>]* d="([^"]*)"/u.exec(svgOf([BURIAL])) ?? []
  expect(decodeQr(path, Math.round(236 / Number(scale)))).toBe(LINK)
})

test('a card says what has changed, and what is cancelled', () => {
  const before = { endDateTime: null, timeZone: 'Africa/Harare', isCancelled: false }
  const change = { at: '2026-06-03T08:00:00.000Z', ...before }
  const later = { ...change, dateTime: '2026-06-06T07:00:00.000Z', place: 'Yeovil Cemetery, Mutare' }
  const elsewhere = { ...change, dateTime: BURIAL.dateTime, place: 'Dangamvura' }
  const events = [{ change: later }, { change: elsewhere }, { isCancelled: true, change: later }]
  expect(events.map((fields) => written(svgOf([{ ...BURIAL, ...fields }])).slice(3, 6))).toEqual([
    ['Burial', 'Changed: now Saturday 6', 'June 2026, 10:00, Harare time'],
    ['Burial', 'Saturday 6 June 2026, 10:00, Harare time', 'Changed: now Yeovil Cemetery, Mutare'],
    ['Cancelled: Burial', 'Saturday 6 June 2026, 10:00, Harare time', 'Yeovil Cemetery, Mutare'],
  ])
})

test('five gatherings fit, and of twelve the card says how many it leaves out', () => {
  const titles = (count: number, shape: (typeof SHAPES)[number]) => {
    const texts = written(svgOf(many(count), shape))
    return [texts.filter((text) => text === 'Burial').length, texts.find((text) => text.includes('more'))]
  }
  expect([titles(5, 'portrait'), titles(12, 'portrait'), titles(12, 'story')]).toEqual([
    [5, undefined],
    [6, 'and 6 more: see the link'],
    [12, undefined],
  ])
})

test.each(
  SHAPES.flatMap((shape) =>
    [0, 1, 2, 5, 12].flatMap((count) => [
      { shape, count, name: 'Bo Li', fields: {} },
      { shape, count, name: LONG.repeat(2), fields: {} },
      { shape, count, name: 'W'.repeat(100), fields: HUGE },
    ]),
  ),
)('everything stays on the card: $shape, $count gatherings, $name', ({ shape, count, name, fields }) => {
  const link = `https://keepinglegaciesalive.example/m/${'nomathemba-'.repeat(5)}k7q2mx`
  const { width, height } = ANNOUNCEMENT_CARD[shape]
  const texts = textsOf(svgOf(many(count, fields), shape, { name, link }))
  for (const { text, x, y, size, isCentred } of texts) {
    const [left, right] = isCentred
      ? [x - widthOf(text, size) / 2, x + widthOf(text, size) / 2]
      : [x, x + widthOf(text, size)]
    expect([text, left >= 60, right <= width - 60, y > 60, y < height - 50]).toEqual([
      text,
      true,
      true,
      true,
      true,
    ])
  }
  const lines = texts.slice(1)
  const sorted = lines.map(({ y }) => y).toSorted((a, b) => a - b)
  expect(lines.map(({ y }) => y)).toEqual(sorted)
  expect(Math.min(...texts.map(({ size }) => size))).toBeGreaterThanOrEqual(26)
})

test('a line that is too long ends in an ellipsis, as far right as it fits', () => {
  const place = 'The Cathedral of the Sacred Heart and of All Holy Martyrs of Manicaland Province'
  const brief = written(svgOf(many(12, { venueName: place }))).find((text) => text.startsWith('Sat'))
  expect(brief).toBe('Sat 6 June, 10:00, Harare time · The Cathedral of the Sacred Heart and of…')
})

test('letters of the old Shona spelling and rare marks become readable letters', () => {
  const texts = written(svgOf([], 'story', { name: 'Ɓaɓa Ṋemakonḓe Ŋombe' }))
  expect(texts.slice(0, 3)).toEqual(['BŊ', 'Baba Nemakonde', 'Ŋombe'])
})

test('what the font cannot write is left out, and the card still tells the rest', () => {
  const event = { ...BURIAL, title: 'Похороны', venueName: '墓地', city: 'Mutare 🕊️' }
  expect(written(svgOf([event], 'portrait', { name: 'Александр Пушкин' }))).toEqual([
    '14 March 1948 – 2 June 2026',
    'Burial',
    'Saturday 6 June 2026, 10:00, Harare time',
    'Mutare',
    'Times can change: see the link',
    'nhaka.example/m/tendai-moyo-k7q2mx',
    'Keeping Legacies Alive',
  ])
})

test('hostile text stays text on a card', () => {
  const hostile = '"/><image href="https://evil.test/x"/><script>&amp;'
  const svg = svgOf([{ ...BURIAL, title: hostile, venueName: hostile }], 'portrait', { name: hostile })
  const tags = new Set([...svg.matchAll(/<([a-z]+)/gu)].map(([, tag]) => tag))
  expect(tags).toEqual(new Set(['svg', 'rect', 'text', 'path']))
})
