import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import type { MediaUploaded } from '#shared/media/media.ts'
import { readMpegAudio } from '#worker/media-formats/mpeg-audio.ts'
import { readWebm } from '#worker/media-formats/webm.ts'
import { fixture } from '../../../../test/worker/fixtures.ts'
import { invited } from '../../../../test/worker/harness.ts'
import { upload, storedMedia, NO_MEDIA } from '../../../../test/worker/uploads.ts'

const readerOf = (bytes: Uint8Array) => async (start: number, end: number) => bytes.subarray(start, end)

/** An ADTS frame: 44.1 kHz, two channels; its header claims `length` bytes. */
function adtsHeader(length: number): Buffer {
  return Buffer.from([
    0xff,
    0xf1,
    0x50,
    0x80 | (length >> 11),
    (length >> 3) & 255,
    ((length & 7) << 5) | 31,
    0xfc,
  ])
}

function lengthAt(bytes: Buffer, at: number): number {
  return (bytes.readUIntBE(at + 3, 3) >> 5) & 0x1fff
}

async function ofRelative(bytes: Uint8Array<ArrayBuffer>, name: string, type: string) {
  const { memorial, relative } = await invited()
  const { status, body } = await upload<MediaUploaded & { code?: string }>(relative, memorial.id, {
    bytes,
    name,
    type,
  })
  return { status, body, memorialId: memorial.id }
}

test('a recording with a frame of length zero is read to its end', async () => {
  const bytes = await fixture('audio-2s.aac')
  const sound = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let third = 0
  for (let frame = 0; frame < 2; frame++) third += lengthAt(sound, third)
  sound.set([(sound[third + 3] ?? 0) & 0xfc, 0, (sound[third + 5] ?? 0) & 31], third + 3)
  const { status, body } = await ofRelative(bytes, 'note.aac', 'AUDIO')
  expect([status, body.media?.durationSec]).toEqual([201, expect.closeTo(2, 0)])
})

test('frames that claim to be shorter than their header are not counted', async () => {
  // Each frame begins in the last byte of the previous one.
  const bytes = new Uint8Array(Buffer.concat(Array.from({ length: 900 }, () => adtsHeader(6).subarray(0, 6))))
  const { status, body, memorialId } = await ofRelative(bytes, 'note.aac', 'AUDIO')
  expect([status, body.code]).toEqual([400, 'bad_input'])
  expect(await storedMedia(memorialId)).toEqual(NO_MEDIA)
})

test('half a million of the smallest frames are counted', async () => {
  const frame = adtsHeader(7)
  const bytes = new Uint8Array(7 * 500_000)
  for (let at = 0; at < bytes.byteLength; at += 7) bytes.set(frame, at)
  const { durationSec } = await readMpegAudio(readerOf(bytes), bytes.byteLength)
  expect(durationSec).toBeCloseTo((500_000 * 1024) / 44_100, 3)
})

test('a WebM with millions of elements is refused; one with 500,000 blocks is read', async () => {
  const video = await fixture('video-2s.webm')
  const followedBy = (element: number[], count: number) => {
    const all = new Uint8Array(video.byteLength + element.length * count)
    all.set(video)
    for (let at = video.byteLength; at < all.byteLength; at += element.length) all.set(element, at)
    return all
  }
  const blocks = followedBy([0xa3, 0x85, 0x81, 0, 1, 0x80, 0x41], 500_000)
  expect((await readWebm(readerOf(blocks), blocks.byteLength)).durationSec).toBeCloseTo(2, 0)
  const { status, body } = await ofRelative(followedBy([0xec, 0x80], 2_000_001), 'video.webm', 'VIDEO')
  expect([status, body.code]).toEqual([400, 'bad_input'])
})

test.for([
  ['audio-2s.mp3', 2],
  ['audio-2s.aac', 2],
  ['audio-too-long.mp3', 610],
] as const)('the duration of %s is the sum of its frames', async ([name, seconds]) => {
  const bytes = await fixture(name)
  const { durationSec } = await readMpegAudio(readerOf(bytes), bytes.byteLength)
  expect(Math.abs(durationSec - seconds)).toBeLessThan(15)
  // Bytes between two frames make no difference.
  const split = Buffer.from(bytes).indexOf(Buffer.from(bytes.subarray(0, 2)), 5000)
  const dirty = Buffer.concat([bytes.subarray(0, split), Buffer.alloc(333, 0xff), bytes.subarray(split)])
  const read = await readMpegAudio(readerOf(dirty), dirty.byteLength)
  expect(Math.abs(read.durationSec - durationSec)).toBeLessThan(0.1)
})

test('size and duration of a WebM are readable even if it is cut off anywhere', async () => {
  const video = await fixture('video-2s.webm')
  expect(await readWebm(readerOf(video), video.byteLength)).toEqual({
    durationSec: expect.closeTo(2.008, 2),
    width: 320,
    height: 240,
    hasVideo: true,
  })
  let read = 0
  for (let end = 300; end < video.byteLength; end += 997) {
    const { durationSec } = await readWebm(readerOf(video.subarray(0, end)), end)
    read += durationSec > 0 ? 1 : 0
  }
  expect(read).toBeGreaterThan(30)
})
