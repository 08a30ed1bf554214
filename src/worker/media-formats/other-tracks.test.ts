import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import type { MediaUploaded } from '#shared/media/media.ts'
import { messages } from '#shared/messages.ts'
import { patched, planPatches } from '#worker/media-formats/other-tracks.ts'
import { stripMetadata } from '#worker/media-formats/strip-metadata.ts'
import { box, boxesOf, bytesOf, freed } from '../../../test/boxes.ts'
import { filmWith, placeBoxes } from '../../../test/films.ts'
import { fragmentedFilm } from '../../../test/fragmented-films.ts'
import { PLACE, SECRETS, TIMED_DATA, type TimedData } from '../../../test/timed-data.ts'
import { fixture } from '../../../test/worker/fixtures.ts'
import { invited, memorialOf } from '../../../test/worker/harness.ts'
import { sendInTusChunks } from '../../../test/worker/tus.ts'
import { NO_MEDIA, storedMedia, upload } from '../../../test/worker/uploads.ts'

const KINDS = Object.entries(TIMED_DATA)
const ALL: TimedData[] = Object.values(TIMED_DATA)

async function* arriving(bytes: Uint8Array, step: number) {
  for (let at = 0; at < bytes.byteLength; at += step) yield bytes.slice(at, at + step)
}

async function collected(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const part of parts) all.push(new Uint8Array(part))
  return Buffer.concat(all)
}

/** What is served of a film that arrives in chunks of `step` bytes. */
async function served(film: Buffer, step = film.byteLength): Promise<Buffer> {
  const stored = await collected(stripMetadata(arriving(film, step), 'video/mp4'))
  const patches = await planPatches(async (start, end) => stored.subarray(start, end), stored.byteLength)
  return collected(patched(arriving(stored, step), patches))
}

const plan = (film: Buffer) => planPatches(async (start, end) => film.subarray(start, end), film.byteLength)

/** Writes a number into the table of this type that comes last in the film, at `offset` from its type. */
function withNumber(film: Buffer, type: string, offset: number, value: number): Buffer {
  const changed = Buffer.from(film)
  changed.writeUInt32BE(value, changed.lastIndexOf(type) + offset)
  return changed
}

test.for(KINDS)('%s is gone from a stored film, and every other byte is left', async ([, track]) => {
  const places = placeBoxes(PLACE.text)
  for (const [name, options] of [
    ['video-2s.mp4', {}],
    ['video-2s.mp4', { longOffsets: true, ...places }],
    ['video-2s.mov', { movieLast: true, ...places }],
  ] as const) {
    const { bytes, clean } = filmWith(await fixture(name), [track], options)
    expect(bytes.toString('latin1')).toMatch(track === TIMED_DATA['Google camm'] ? /CAMM/u : SECRETS)
    const result = await served(bytes)
    expect(result.equals(clean)).toBe(true)
    expect(result.toString('latin1')).not.toMatch(SECRETS)
  }
})

test('tracks are removed for every chunk size, and a second time changes nothing', async () => {
  const { bytes, clean } = filmWith(await fixture('video-2s.mov'), ALL, { movieLast: true })
  for (const step of [1, 7, 16, 1000, 4096]) expect((await served(bytes, step)).equals(clean)).toBe(true)
  expect(await plan(clean)).toEqual([])
})

test('tracks are removed from the fragments of a film; their indexes stay', async () => {
  const { bytes, clean } = fragmentedFilm(await fixture('video-2s.mp4'), ALL)
  const result = await served(bytes)
  expect(result.equals(clean)).toBe(true)
  expect(result.toString('latin1')).not.toMatch(SECRETS)
  expect(result.toString('latin1')).toMatch(/sidx[^]+moof[^]+mfra[^]+tfra/u)
})

test('a film without other tracks is served byte for byte', async () => {
  const base = await fixture('video-2s.mp4')
  for (const film of [
    filmWith(base, []).bytes,
    filmWith(base, [], { movieLast: true }).bytes,
    fragmentedFilm(base, []).bytes,
    Buffer.from(await fixture('video-too-long.mp4')),
    Buffer.from(await fixture('audio-2s.m4a')),
  ]) {
    expect((await served(film)).equals(film)).toBe(true)
    expect(await plan(film)).toEqual([])
  }
})

test.for(['in one request', 'in chunks'])(
  'a film with all of it is cleaned when it comes %s',
  async (way) => {
    const { owner, memorial, relative } = await invited()
    const places = placeBoxes(PLACE.text)
    const film = filmWith(await fixture('video-2s.mov'), ALL, { movieLast: true, ...places })
    const bytes = new Uint8Array(film.bytes)
    const sent =
      way === 'in chunks'
        ? (await sendInTusChunks(relative, memorial.id, { bytes, type: 'VIDEO' }, [10_000, 333])).headers.get(
            'Nhaka-Media-Id',
          )
        : (await upload<MediaUploaded>(relative, memorial.id, { bytes, name: 'GX01.MP4', type: 'VIDEO' }))
            .body.id
    const { body } = await owner.get(`/api/memorials/${memorial.id}/media`)
    expect(body.media).toMatchObject([
      { id: sent, width: 320, size: bytes.byteLength, durationSec: expect.closeTo(2, 0) },
    ])
    for (const client of [owner, relative]) {
      const response = await client.fetch(`/media/stream/${sent}`)
      expect(Buffer.from(await response.arrayBuffer()).equals(film.clean)).toBe(true)
    }
  },
)

test('a recording keeps its audio and loses other tracks', async () => {
  const { bytes, clean } = filmWith(await fixture('audio-2s.m4a'), [TIMED_DATA['DJI text']])
  expect((await served(bytes)).equals(clean)).toBe(true)
})

test('samples that a film shares with a hidden track are never zeroed', async () => {
  const { bytes, clean } = filmWith(await fixture('video-2s.mp4'), [TIMED_DATA['Apple mebx']])
  // The first chunk of the hidden track is the film's own first chunk, or ends within it.
  const mediaAt = bytes.indexOf('mdat') + 4
  for (const place of [mediaAt, mediaAt + 100, mediaAt - 10])
    expect((await served(withNumber(bytes, 'stco', 12, place))).equals(clean)).toBe(true)
})

test('if a hidden track’s tables are false, all that the film does not use is zeroed', async () => {
  const { bytes, clean } = filmWith(await fixture('video-2s.mp4'), [TIMED_DATA['Apple mebx']])
  const changed = (type: string, offset: number, value: number) => withNumber(bytes, type, offset, value)
  const twice = Buffer.from(bytes)
  twice.write('stsz', twice.lastIndexOf('stts'), 'latin1')
  for (const film of [
    changed('stsz', 12, 3),
    changed('stsz', 12, 0xffff_ffff),
    // One size for four billion samples, of which two chunks hold a few.
    withNumber(changed('stsz', 12, 0xffff_ffff), 'stsz', 8, 0xffff_ffff),
    changed('stco', 8, 1),
    changed('stsc', 8, 0),
    changed('stsc', 12, 2),
    twice,
  ]) {
    expect((await served(film)).equals(clean)).toBe(true)
  }
})

test('a film of which no table is certain is refused kindly, and nothing is kept', async () => {
  const { owner, memorial } = await memorialOf()
  const { bytes } = filmWith(await fixture('video-2s.mp4'), [TIMED_DATA['Apple mebx']])
  const film = withNumber(bytes, 'stsz', 12, 3)
  // The sound, too: one size for all samples, as in old QuickTime.
  film.writeUInt32BE(1, film.indexOf('stsz', film.indexOf('soun')) + 8)
  const file = { bytes: new Uint8Array(film), name: 'film.mp4', type: 'VIDEO' }
  const { status, body } = await upload(owner, memorial.id, file)
  expect([status, body.code, body.message]).toEqual([400, 'bad_input', messages.media.hiddenData])
  expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
})

test('millions of boxes, tracks and chunks end soon, with a refusal or a clean film', async () => {
  const [ftyp, moov, mdat] = boxesOf(
    filmWith(await fixture('video-2s.mp4'), [TIMED_DATA['Apple mebx']]).bytes,
  )
  if (!ftyp || !moov || !mdat) throw new Error('no film')
  const filled = (unit: Buffer) => Buffer.alloc(12_000_000, unit)
  const film = (...more: Buffer[]) => bytesOf(ftyp.whole, box('moov', moov.body, ...more), mdat.whole)
  await expect(plan(film(filled(box('trak'))))).rejects.toThrow('too many tracks')
  const isApart = async (bytes: Buffer) => (await plan(bytes)).length
  expect(await isApart(film(filled(box('free'))))).toBeLessThan(10)
  const stbl = (...tables: Buffer[]) =>
    box('trak', box('mdia', box('hdlr', 0, 0, 'meta'), box('minf', box('stbl', ...tables))))
  const chunks = filled(Buffer.from([0, 0, 0, 1]))
  const claimed = [box('stsz', 0, 1, 3_000_000), box('stsc', 0, 1, 1, 1, 1)]
  // Chunks that are not in order are as many ranges: what video and audio don't use is zeroed instead.
  for (let at = 0; at < chunks.byteLength; at += 8) chunks.writeUInt32BE(40_000_000 - at, at)
  const zeroed = film(stbl(...claimed, box('stco', 0, 3_000_000, chunks)))
  expect(await isApart(zeroed)).toBeLessThan(100)
  const runs = box('traf', box('tfhd', 0x2_0000, 9), filled(box('trun', 1, 1, 0)))
  const fragment = box('moof', box('mfhd', 0, 1), runs)
  expect(await isApart(bytesOf(film(), fragment))).toBeLessThan(100)
  const sized = box('traf', box('tfhd', 0x2_0010, 9, 5), filled(box('trun', 1, 1, 0)))
  await expect(plan(bytesOf(film(), box('moof', sized)))).rejects.toThrow('too many runs')
})

test('a hidden track whose samples are outside of the media data harms nothing', async () => {
  const { bytes } = filmWith(await fixture('video-2s.mp4'), [TIMED_DATA['Apple mebx']])
  const patches = await plan(withNumber(bytes, 'stco', 12, 0))
  const mediaAt = bytes.indexOf('mdat') + 4
  const trakAt = bytes.lastIndexOf('trak')
  for (const { start } of patches) expect(start >= mediaAt || start >= trakAt).toBe(true)
})

test('fragments whose place depends on a removed track refuse the film', async () => {
  const { bytes } = fragmentedFilm(await fixture('video-2s.mp4'), [TIMED_DATA['Apple mebx']])
  const changed = Buffer.from(bytes)
  // All tracks of the fragments say that they begin where the one before ended; the first becomes the hidden one.
  for (let at = changed.indexOf('tfhd'); at !== -1; at = changed.indexOf('tfhd', at + 4)) {
    changed.writeUInt32BE(0, at + 4)
    changed.writeUInt32BE([3, 2, 1][changed.readUInt32BE(at + 8) - 1] ?? 0, at + 8)
  }
  await expect(plan(changed)).rejects.toThrow('samples that follow those of a removed track')
})

test('broken films keep their length or are refused, and end soon', async () => {
  const base = await fixture('video-2s.mp4')
  for (const film of [filmWith(base, ALL).bytes, fragmentedFilm(base, ALL).bytes]) {
    const movieAt = film.indexOf('moov')
    for (let seed = 1; seed <= 80; seed++) {
      const broken = Buffer.from(film)
      for (let at = movieAt + seed * 3; at < movieAt + 9000; at += 97 * seed)
        broken.writeUInt8((at * seed) & 255, at)
      const result = await served(broken).catch((error: unknown) => error)
      expect(result instanceof Error || (result as Buffer).byteLength === film.byteLength).toBe(true)
    }
  }
})

test('references to a removed track go with it, and those between video and audio stay', async () => {
  const { bytes } = filmWith(await fixture('video-2s.mp4'), [TIMED_DATA['Apple mebx']])
  const tref = box('tref', box('fall', 2, 2), box('cdsc', 3))
  // In the place of the first track's edit list of 36 bytes.
  const film = Buffer.from(bytes)
  tref.copy(film, film.indexOf('edts') - 4)
  const result = await served(film)
  const at = film.indexOf('tref') - 4
  expect(result.subarray(at, at + 36).equals(box('tref', box('fall', 2, 2), box('free', 0)))).toBe(true)
})

test('a second list of tracks is removed', async () => {
  const { bytes } = filmWith(await fixture('video-2s.mp4'), [])
  const second = boxesOf(filmWith(await fixture('video-2s.mp4'), ALL).bytes).find(
    (one) => one.type === 'moov',
  )
  const result = await served(bytesOf(bytes, second?.whole ?? ''))
  expect(result.equals(bytesOf(bytes, freed(second?.whole ?? bytes)))).toBe(true)
})

test('indexes and room at the top of a film hold nothing else', async () => {
  const { bytes } = filmWith(await fixture('video-2s.mp4'), [])
  const spare = (type: string) => box(type, '\0'.repeat(PLACE.text.length))
  const cases: [Buffer, Buffer][] = [
    [box('wide', PLACE.text), spare('wide')],
    [box('skip', PLACE.text), spare('skip')],
    [box('sidx', 0, 1, 1, 0, 0, 0, PLACE.text), freed(box('sidx', 0, 1, 1, 0, 0, 0, PLACE.text))],
    [box('mfra', box('tfra', PLACE.text)), box('mfra', spare('free'))],
    [
      box('mfra', box('mfro', 0, 16), box('XYZ ', PLACE.text)),
      box('mfra', box('mfro', 0, 16), spare('free')),
    ],
    [box('meta', 0, PLACE.text), freed(box('meta', 0, PLACE.text))],
    [bytesOf('GPS-17.'), Buffer.alloc(7)],
  ]
  for (const [secret, expected] of cases) {
    const result = await served(bytesOf(bytes, secret), 5)
    expect(result.subarray(bytes.byteLength).toString('latin1')).toBe(expected.toString('latin1'))
    expect(result.subarray(0, bytes.byteLength).equals(bytes)).toBe(true)
  }
})
