import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { NAUGHTY_STRINGS } from './xss-vectors.ts'
import { CONTRIBUTOR_QUOTA, DRAFT_MAX_BYTES, MEMORIAL_QUOTA } from '../src/shared/limits.ts'
import { messages } from '../src/shared/messages.ts'
import { cleanCharacters } from '../src/shared/text-rules.ts'
import { line, lineOrNull, lines } from '../src/shared/text.ts'

const name = line({ max: 100, required: 'Please enter your name' })
const ZWJ = '\u200d'

test('cleaning text a second time changes nothing, whatever the text holds', () => {
  const seen = NAUGHTY_STRINGS.concat(
    'e\u200b\u0301',
    'e\ud800\u0301',
    'e\u2066\u0301'.repeat(20),
    'a\u0301'.repeat(9),
  )
  const points = Array.from({ length: 0x30000 }, (_, point) => String.fromCodePoint(point))
  const texts = [...seen, ...points.map((point) => `a${point}\u0301${point}b`)]
  const unstable = texts.map(cleanCharacters).filter((text) => cleanCharacters(text) !== text)
  expect(unstable).toEqual([])
})

test.each([
  ['bidirectional overrides and isolates', 'Ru\u202edo\u2066 \u2069Mo\u061cyo\u200f', 'Rudo Moyo'],
  ['zero-width characters and soft hyphens', 'Ru\u200bdo\u2060 Mo\ufeff\u00adyo', 'Rudo Moyo'],
  ['invisible tags', `Rudo${String.fromCodePoint(0xe0041, 0xe0042, 0xe007f)}`, 'Rudo'],
  ['fillers', 'Rudo\u3164\u2800\u115f', 'Rudo'],
  ['half characters', 'Ru\ud800do', 'Ru\ufffddo'],
  ['accents apart from their letters', 'Rene\u0301', 'Ren\u00e9'],
  ['accents after invisible characters', 'Rene\u200b\u0301', 'Ren\u00e9'],
  ['stacked marks', `Z${'\u0335'.repeat(40)}o`, `Z${'\u0335'.repeat(8)}o`],
])('%s are removed from a name or normalised', (_what, text, stored) => {
  expect(z.parse(name, text)).toBe(stored)
})

test.each([
  ['a family of emoji', `👨🏽${ZWJ}👩🏽${ZWJ}👧🏽${ZWJ}👦🏽`],
  ['the flag of Scotland', '\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0072}\u{e007f}'],
  ['a heart and its presentation', '❤\ufe0f'],
  ['Persian with its joiners', 'می\u200cخواهم'],
  ['Hebrew with points', 'שָׁלוֹם'],
  ['Vietnamese', 'Nguyễn Thị Ngọc'],
  ['Tibetan', 'བོད་ཡིག'],
  ['Devanagari', 'क्षत्रिय'],
])('%s stays as it is written', (_what, text) => {
  expect(z.parse(name, text)).toBe(text.normalize('NFC'))
})

test.each([
  ['joiners', `${ZWJ}${ZWJ}`],
  ['fillers of Hangul', '\u3164\u3164'],
  ['braille blanks', '\u2800'],
  ['marks without a letter', '\u0301\u0301'],
  ['unusual spaces', '\u2003\u3000'],
])('%s alone are no name and no sentence', (_what, text) => {
  expect(z.safeParse(name, text).error?.issues[0]?.message).toBe('Please enter your name')
  expect(z.parse(lineOrNull({ max: 10 }), text)).toBeNull()
})

test.each([
  '\u0000',
  '\u0007',
  '\u001b[31m',
  'a\nb',
  'a\r\nb',
  'a\tb',
  '\u0085x',
  '\u009fx',
  'a\u2028b',
  'a\u2029b',
])('single-line text with a control character or line break is refused: %j', (text) => {
  expect(z.safeParse(name, `x${text}x`).success).toBe(false)
})

test('every kind of line break in longer text becomes one', () => {
  expect(z.parse(lines({ max: 20 }), 'a\r\nb\rc\u2028d\u2029e\nf')).toBe('a\nb\nc\nd\ne\nf')
})

test('limits count characters after cleaning, not UTF-16 units', () => {
  const four = line({ max: 4 })
  expect(z.parse(four, '😀😀😀😀')).toBe('😀😀😀😀')
  expect(z.parse(four, 'e\u0301'.repeat(4))).toBe('éééé')
  expect(z.parse(four, `\u200b\u202e${'a\u200b'.repeat(4)}`)).toBe('aaaa')
  expect(z.safeParse(four, '😀😀😀😀a').success).toBe(false)
})

test('messages about quotas name the numbers of limits.ts', () => {
  const { images, video, audio } = CONTRIBUTOR_QUOTA
  expect(messages.media).toMatchObject({
    quotaImages: `You can add up to ${images.max} photos to a memorial`,
    quotaVideo: `You can add one video of up to ${video.maxDurationSec / 60} minutes to a memorial`,
    quotaAudio: `You can add one recording of up to ${audio.maxDurationSec / 60} minutes to a memorial`,
    quotaDraftBytes: `This memorial holds ${DRAFT_MAX_BYTES / 1024 ** 3} GB, the most it can before it is paid for. Pay for it once, and it can hold ${MEMORIAL_QUOTA.bytes / 1024 ** 3} GB.`,
    beingSent: {
      IMAGE: expect.stringContaining(`${MEMORIAL_QUOTA.images.toLocaleString('en')} photos`),
      VIDEO: expect.stringContaining(`${MEMORIAL_QUOTA.video} videos`),
      AUDIO: expect.stringContaining(`${MEMORIAL_QUOTA.audio} recordings`),
    },
  })
})
