import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { fixture } from '../../../../test/worker/fixtures.ts'
import { memorialOf, invited } from '../../../../test/worker/harness.ts'
import {
  mediaRowsOf,
  objectsOf,
  quotaItemsOf,
  upload,
  silence,
  storedMedia,
  NO_MEDIA,
} from '../../../../test/worker/uploads.ts'
import type { MediaUploaded } from '#shared/media/media.ts'
import { MEDIA_TYPES } from '#shared/media/media-types.ts'
import {
  falseBeginnings,
  foreignFiles,
  oversizedImages,
} from '../../../../test/worker/hostile/hostile-files.ts'

const WHOLE = [
  ['photo-gps.jpg', 'IMAGE'],
  ['photo.png', 'IMAGE'],
  ['photo.webp', 'IMAGE'],
  ['video-2s.mp4', 'VIDEO'],
  ['video-2s.mov', 'VIDEO'],
  ['video-2s.webm', 'VIDEO'],
  ['video-2s.avi', 'VIDEO'],
  ['audio-2s.mp3', 'AUDIO'],
  ['audio-2s.m4a', 'AUDIO'],
  ['audio-2s.aac', 'AUDIO'],
  ['audio-2s.wav', 'AUDIO'],
  ['voice-note-2s.ogg', 'AUDIO'],
] as const

test('of truncated files only the accepted ones are stored and counted', async () => {
  const { owner, memorial } = await memorialOf()
  const taken: string[] = []
  let cut = 0
  for (const [name, type] of WHOLE) {
    const bytes = await fixture(name)
    const lengths = [2, 11, 40, 300, Math.floor(bytes.length / 3), bytes.length - 1000]
    for (const length of lengths) {
      cut++
      const { status, body } = await upload(owner, memorial.id, { bytes: bytes.slice(0, length), name, type })
      expect([name, length, [201, 400, 415].includes(status), body.message === '']).toEqual([
        name,
        length,
        true,
        false,
      ])
      taken.push(...(status === 201 ? [body.id as string] : []))
    }
  }
  expect(cut).toBe(72)
  expect((await mediaRowsOf(memorial.id)).map(({ id }) => id).toSorted()).toEqual(taken.toSorted())
  expect(await quotaItemsOf(memorial.id)).toEqual(taken.toSorted())
  const stored = new Set((await objectsOf(memorial.id)).map((key) => key.split('/')[2] ?? ''))
  expect([...stored].toSorted()).toEqual(taken.toSorted())
})

/** The file with the number after every occurrence of a mark overwritten. */
async function claiming(name: string, edits: [mark: string, offset: number, value: number][]) {
  const bytes = await fixture(name)
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const [mark, offset, value] of edits) {
    const at = file.indexOf(mark, 0, 'latin1')
    expect([name, mark, at > 0]).toEqual([name, mark, true])
    file.writeUInt32BE(value, at + offset)
  }
  return bytes
}

test.each([
  // Duration fields of version 0 boxes: ISO/IEC 14496-12, 8.2.2, 8.3.2, 8.4.2.
  [
    'video-too-long.mp4',
    'VIDEO',
    [
      ['mvhd', 20, 1000],
      ['tkhd', 24, 1000],
      ['mdhd', 20, 1],
    ],
  ],
  // The frame count in the first frame's table of contents.
  ['audio-too-long.mp3', 'AUDIO', [['Info', 8, 10]]],
] as [string, string, [string, number, number][]][])(
  '%s is too long for a contributor although its header claims one second',
  async (name, type, edits) => {
    const { memorial, relative } = await invited()
    const { status, body } = await upload(relative, memorial.id, {
      bytes: await claiming(name, edits),
      name,
      type,
    })
    expect([status, body.code]).toEqual([409, 'too_long'])
    expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
  },
)

test.each(MEDIA_TYPES)('70 files of other types are refused as %s and leave nothing behind', async (type) => {
  const { owner, memorial } = await memorialOf()
  const files = foreignFiles()
  expect(files.length).toBeGreaterThanOrEqual(70)
  for (const { name, bytes } of files) {
    const { status, body } = await upload(owner, memorial.id, { bytes, name, type })
    expect([name, status, body.code]).toEqual([name, 415, 'wrong_type'])
  }
  expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
})

test('a file with only the leading bytes of its type is refused and leaves nothing', async () => {
  const { owner, memorial } = await memorialOf()
  const files = falseBeginnings()
  expect(files).toHaveLength(44)
  for (const { name, bytes, type } of files) {
    const { status, body } = await upload(owner, memorial.id, { bytes, name, type })
    expect([name, status, body.code]).toEqual([
      name,
      ...(status === 415 ? [415, 'wrong_type'] : [400, 'bad_input']),
    ])
  }
  expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
})

test('an image with too many pixels, stated or decoded, is refused', async () => {
  const { owner, memorial } = await memorialOf()
  for (const { name, bytes } of await oversizedImages()) {
    const { status, body } = await upload(owner, memorial.id, { bytes, name: `${name}.png`, type: 'IMAGE' })
    expect([name, status, body.code]).toEqual([name, 400, 'bad_input'])
  }
  expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
})

/** A Motion JPEG AVI of `frames` frames, one per second, whose headers claim `stated` frames. */
function lyingAvi(frames: number, stated = 1): Uint8Array<ArrayBuffer> {
  const avih = Buffer.alloc(56)
  avih.writeUInt32LE(1_000_000, 0)
  avih.writeUInt32LE(stated, 16)
  avih.writeUInt32LE(1, 24)
  avih.writeUInt32LE(64, 32)
  avih.writeUInt32LE(64, 36)
  const strh = Buffer.alloc(56)
  strh.write('vidsMJPG', 'latin1')
  strh.writeUInt32LE(1, 20)
  strh.writeUInt32LE(1, 24)
  strh.writeUInt32LE(stated, 32)
  const pictures = Array.from({ length: frames }, () => chunk('00dc', Buffer.from([0xff, 0xd8, 0xff, 0xd9])))
  const body = Buffer.concat([
    list('hdrl', [chunk('avih', avih), list('strl', [chunk('strh', strh), chunk('strf', Buffer.alloc(40))])]),
    list('movi', pictures),
  ])
  return new Uint8Array(chunk('RIFF', Buffer.concat([Buffer.from('AVI '), body])))
}

function chunk(id: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(content.byteLength)
  return Buffer.concat([Buffer.from(id, 'latin1'), length, content])
}

function list(type: string, chunks: Buffer[]): Buffer {
  return chunk('LIST', Buffer.concat([Buffer.from(type, 'latin1'), ...chunks]))
}

/** A WAV of 8,000 bytes per second, whose header claims `stated` bytes. */
function lyingWav(seconds: number, stated: number): Uint8Array<ArrayBuffer> {
  const wav = silence(44 + seconds * 8000)
  const view = new DataView(wav.buffer)
  view.setUint16(22, 1, true)
  view.setUint32(24, 8000, true)
  view.setUint32(28, 8000, true)
  view.setUint16(32, 1, true)
  view.setUint16(34, 8, true)
  view.setUint32(40, stated, true)
  return wav
}

/** MPEG frames without a header: 8 kHz, alternating bit rates, 72 ms each. */
function bareMp3(seconds: number): Uint8Array<ArrayBuffer> {
  const frames = Array.from({ length: Math.ceil(seconds / 0.072) }, (_, at) => {
    // MPEG 2.5, layer III, alternately 8 and 16 kbit/s: 72 and 144 bytes.
    const frame = Buffer.alloc(at % 2 === 0 ? 72 : 144)
    frame.set([0xff, 0xe3, at % 2 === 0 ? 0x18 : 0x28, 0xc4])
    return frame
  })
  return new Uint8Array(Buffer.concat(frames))
}

test('the duration comes from the content even if the headers claim less', async () => {
  const { memorial, relative } = await invited()
  const files = [
    ['a.avi', 'VIDEO', lyingAvi(305)],
    ['bare.mp3', 'AUDIO', bareMp3(605)],
    ['long.wav', 'AUDIO', lyingWav(605, 605 * 8000)],
  ] as const
  const seen = []
  for (const [name, type, bytes] of files) {
    const { status, body } = await upload(relative, memorial.id, { bytes, name, type })
    seen.push([name, status, body.code])
  }
  expect(seen).toEqual(files.map(([name]) => [name, 409, 'too_long']))
  expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
})

test('a header that claims more than the content determines the duration', async () => {
  const { memorial, relative } = await invited()
  const claims = lyingAvi(3, 305)
  const { status, body } = await upload(relative, memorial.id, {
    bytes: claims,
    name: 'a.avi',
    type: 'VIDEO',
  })
  expect([status, body.code]).toEqual([409, 'too_long'])
  const short = await upload<MediaUploaded>(relative, memorial.id, {
    bytes: lyingAvi(3),
    name: 'a.avi',
    type: 'VIDEO',
  })
  expect([short.status, short.body.media.durationSec]).toEqual([201, 3])
})

test('a file without a readable duration is refused and leaves nothing behind', async () => {
  const { owner, memorial } = await memorialOf()
  const empty = lyingAvi(0, 0)
  const silent = lyingWav(0, 0)
  for (const [bytes, name, type] of [
    [empty, 'a.avi', 'VIDEO'],
    [silent, 'a.wav', 'AUDIO'],
  ] as const) {
    const { status, body } = await upload(owner, memorial.id, { bytes, name, type })
    expect([name, status, body.code]).toEqual([name, 400, 'bad_input'])
  }
  expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
})
