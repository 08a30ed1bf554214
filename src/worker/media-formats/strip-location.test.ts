import { BufferSource, Input, MP4, QTFF } from 'mediabunny'
import { expect, test } from 'vitest'
import type { StoredMimeType } from '#shared/media/uploads.ts'
import { stripLocation } from '#worker/media-formats/strip-location.ts'
import { fixture } from '../../../test/worker/fixtures.ts'

const VIDEO = 'video/mp4'
const SECRET = '-17.8167+031.0500/'

async function cleaned(
  bytes: Uint8Array,
  chunk = 65_536,
  mimeType: StoredMimeType = VIDEO,
): Promise<Uint8Array> {
  async function* arriving() {
    for (let at = 0; at < bytes.byteLength; at += chunk) yield bytes.subarray(at, at + chunk)
  }
  const result = new Uint8Array(bytes.byteLength)
  let size = 0
  for await (const part of stripLocation(arriving(), mimeType)) {
    result.set(part, size)
    size += part.byteLength
  }
  expect(size).toBe(bytes.byteLength)
  return result
}

const textOf = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes)
const bytesOf = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0))
const u32 = (value: number) =>
  String.fromCharCode(value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255)
/** A box as text; `size` replaces its true size. */
const box = (type: string, content: string, size = content.length + 8) => u32(size) + type + content
const wideBox = (type: string, content: string) => u32(1) + type + u32(0) + u32(content.length + 16) + content
const blanked = (content: string) => box('free', '\0'.repeat(content.length))
const clean = async (text: string, chunk?: number) => textOf(await cleaned(bytesOf(text), chunk))

async function factsOf(bytes: Uint8Array) {
  const input = new Input({ source: new BufferSource(bytes), formats: [MP4, QTFF] })
  const [video, audio] = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()]
  return [await input.computeDuration(), await video?.computePacketStats(), await audio?.computePacketStats()]
}

test.for(['video-2s.mp4', 'video-2s.mov'])(
  '%s loses location and camera data for every chunk size',
  async (name) => {
    const bytes = await fixture(name)
    const result = await cleaned(bytes)
    for (const chunk of [1, 2, 3, 7, 8, 9, 15, 16, 17, 1000, 4096])
      expect(await cleaned(bytes, chunk)).toEqual(result)
    expect(textOf(bytes)).toMatch(/[+-]\d+\.\d+[+-]\d+\.\d+/u)
    expect(textOf(result)).not.toMatch(/[+-]\d+\.\d+[+-]\d+\.\d+|©xyz|location|Nhaka Test Camera|NTC-1/u)
    const pictures = textOf(bytes).indexOf('mdat')
    expect(result.subarray(pictures)).toEqual(bytes.subarray(pictures))
    expect(await factsOf(result)).toEqual(await factsOf(bytes))
  },
)

test.for(['video-too-long.mp4', 'audio-2s.m4a'])('%s has no metadata and stays unchanged', async (name) => {
  const bytes = await fixture(name)
  expect(await cleaned(bytes)).toEqual(bytes)
})

test('a location is blanked in every place phones use; the program name stays', async () => {
  const program = box('©too', 'Lavf')
  const items = (place: string) => box('ilst', program + place)
  const handler = box('hdlr', 'mdir')
  const media = box('mdia', box('hdlr', 'vide') + box('minf', box('stbl', box('stsz', 'frames'))))
  const video = (place: (type: string) => string, tail: string) =>
    box('ftyp', 'isom') +
    place('uuid') +
    wideBox('mdat', `samples${SECRET}`) +
    box(
      'moov',
      box('trak', box('udta', place('©xyz')) + place('meta') + media) +
        box('udta', place('loci') + program + box('meta', `\0\0\0\0${handler}${items(place('©xyz'))}`)) +
        box('udta', box('meta', handler + place('keys') + items(place('\0\0\0\x01'))) + place('©mak')) +
        box('udta', tail),
      0,
    )
  const before = video((type) => box(type, SECRET), box('©xyz', SECRET, 0))
  const after = video(() => blanked(SECRET), u32(0) + 'free' + '\0'.repeat(SECRET.length))
  for (const chunk of [1, 5, 10_000]) expect(await clean(before, chunk)).toBe(after)
})

test('a box with a 64-bit size is handled like any other', async () => {
  const video = wideBox('moov', wideBox('udta', wideBox('©xyz', SECRET)))
  expect(await clean(video)).toBe(
    wideBox('moov', wideBox('udta', wideBox('free', '\0'.repeat(SECRET.length)))),
  )
})

test('false sizes hide no box and are limited to the enclosing box', async () => {
  const place = (size: number) => box('udta', box('©xyz', SECRET, size))
  const tail = box('mdat', SECRET)
  for (const size of [9, 500, 0xffffffff]) {
    const result = await clean(box('moov', place(size)) + tail)
    expect(result.endsWith(tail)).toBe(true)
  }
  for (const size of [2, 7]) {
    expect(await clean(box('moov', place(size)) + tail)).toBe(
      box('moov', box('udta', '\0'.repeat(SECRET.length + 8))) + tail,
    )
  }
  expect(await clean(box('moov', place(500)) + tail)).toBe(
    box('moov', box('udta', u32(500) + 'free' + '\0'.repeat(SECRET.length))) + tail,
  )
})

test('a box that players do not need is blanked at every level', async () => {
  const levels = ['moov', 'trak', 'mdia', 'minf', 'stbl']
  const inside = (names: string[], content: string): string => {
    const [name, ...rest] = names
    return name === undefined ? content : box(name, inside(rest, content))
  }
  for (let depth = 0; depth <= levels.length; depth++) {
    const path = levels.slice(0, depth)
    const own = inside(path, box('GPS5', SECRET) + box('skip', SECRET) + SECRET.slice(0, 7))
    const spare = '\0'.repeat(SECRET.length)
    const expected = inside(path, box('free', spare) + box('skip', spare) + '\0'.repeat(7))
    for (const chunk of [3, 10_000]) expect(await clean(own, chunk)).toBe(expected)
  }
})

test('a truncated video and endlessly nested boxes keep their length', async () => {
  const video = box('moov', box('udta', box('©xyz', SECRET)))
  for (let end = 0; end <= video.length; end++) expect(await clean(video.slice(0, end), 3)).toHaveLength(end)
  const deep = u32(0x7fffffff) + 'moov' + (u32(0x7fffffff) + 'trak').repeat(20_000)
  // A track within a track is no part of a film.
  const start = deep.slice(0, 16)
  expect(await clean(deep, 1000)).toBe(`${start}${deep.slice(16, 20)}free${'\0'.repeat(deep.length - 24)}`)
})

test('other formats pass unchanged, and the input bytes are never modified', async () => {
  const video = bytesOf(box('moov', box('udta', box('©xyz', SECRET))))
  const before = video.slice()
  expect(await cleaned(video, 65_536, 'video/webm')).toEqual(before)
  expect(await cleaned(video)).not.toEqual(before)
  expect(video).toEqual(before)
})
