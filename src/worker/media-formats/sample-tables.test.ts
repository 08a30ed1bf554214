import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { requirePlausibleTables, hideFragmentList } from '#worker/media-formats/sample-tables.ts'
import { fixture } from '../../../test/worker/fixtures.ts'
import { memorialOf } from '../../../test/worker/harness.ts'
import { upload } from '../../../test/worker/uploads.ts'

/** The video with one number of one table overwritten. */
async function videoClaiming(table: string, offset: number, value: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await fixture('video-2s.mp4')
  const video = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  video.writeUInt32BE(value, video.indexOf(table) + offset)
  return bytes
}

test.each([
  ['billions of durations', 'stts', 12, 0x7fffffff],
  ['billions of composition times', 'ctts', 12, 0xffffffff],
  ['billions of samples per chunk', 'stsc', 16, 0xffffffff],
  ['billions of chunks', 'stsc', 12, 0xffffffff],
])('a video that claims %s is refused before it is parsed', async (_what, table, offset, value) => {
  const { owner, memorial } = await memorialOf()
  const bytes = await videoClaiming(table, offset, value)
  const { status, body } = await upload(owner, memorial.id, { bytes, name: 'video.mp4', type: 'VIDEO' })
  expect([status, body.code]).toEqual([400, 'bad_input'])
})

test('a fragment that claims billions of samples is refused, a real one is not', async () => {
  const fragment = (samples: number) => box('moof', box('trun', numbers(0, samples, 0)))
  await check(await fixture('video-2s.mp4'))
  await check(fragment(0))
  await expect(check(fragment(0xffffffff))).rejects.toThrow('too many samples')
})

const check = async (bytes: Uint8Array) =>
  requirePlausibleTables(async (start, end) => bytes.subarray(start, end), bytes.byteLength)

function box(type: string, ...content: Buffer[]): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt32BE(8 + content.reduce((size, part) => size + part.byteLength, 0))
  header.write(type, 4, 'latin1')
  return Buffer.concat([header, ...content])
}

function numbers(...values: number[]): Buffer {
  const words = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) words.writeUInt32BE(value, 4 * at)
  return words
}

test('the runs of a fragment share one limit', async () => {
  const run = box('trun', numbers(0, 60_000))
  await check(box('moof', box('traf', run)))
  await expect(check(box('moof', box('traf', run), box('traf', run)))).rejects.toThrow('too many samples')
})

test('the tracks of a video share one limit', async () => {
  const track = box('trak', box('stts', numbers(0, 1, 250_000, 1)), box('ctts', numbers(0, 1, 1, 1)))
  await check(box('moov', track, track))
  await expect(check(box('moov', track, track, track))).rejects.toThrow('too many samples')
})

test('a metadata key of length zero is refused by the parser, and blanked before', async () => {
  const video = Buffer.from(await fixture('video-2s.mp4'))
  const movie = video.indexOf('moov') - 4
  const end = movie + video.readUInt32BE(movie)
  const withNames = (length: number) => {
    // With a count of billions, the parser would run for hours.
    const list = box('keys', numbers(0, 2000, length, 0, 0, 0))
    const hidden = box('edts', box('meta', numbers(0), list))
    const bytes = Buffer.concat([video.subarray(0, end), hidden, video.subarray(end)])
    bytes.writeUInt32BE(end - movie + hidden.byteLength, movie)
    return new Uint8Array(bytes)
  }
  const { owner, memorial } = await memorialOf()
  const send = async (bytes: Uint8Array<ArrayBuffer>) =>
    (await upload(owner, memorial.id, { bytes, name: 'video.mp4', type: 'VIDEO' })).status
  await expect(check(withNames(0))).rejects.toThrow('a metadata key of length zero')
  expect([await send(withNames(0)), await send(new Uint8Array(video))]).toEqual([201, 201])
})

test('only the list of fragments is hidden from the parser', async () => {
  const video = box('mdat', numbers(1, 2, 3))
  const list = box('mfra', box('mfro', numbers(0, 24)))
  const seen = async (bytes: Buffer, start: number) => {
    const read = await hideFragmentList(async (from, to) => bytes.subarray(from, to), bytes.byteLength)
    return Buffer.from(await read(start, bytes.byteLength))
  }
  const whole = Buffer.concat([video, list])
  for (const start of [0, 30, whole.byteLength - 4, whole.byteLength - 2]) {
    const hidden = await seen(whole, start)
    expect(hidden.subarray(-4)).toEqual(Buffer.alloc(Math.min(4, whole.byteLength - start)))
    expect(hidden.subarray(0, -4)).toEqual(whole.subarray(start, -4))
  }
  expect(whole.readUInt32BE(whole.byteLength - 4)).toBe(24)
  expect(await seen(video, 0)).toEqual(video)
})
