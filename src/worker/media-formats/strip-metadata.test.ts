import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import type { MediaUploaded } from '#shared/media/media.ts'
import type { StoredMimeType } from '#shared/media/uploads.ts'
import { stripMetadata } from '#worker/media-formats/strip-metadata.ts'
import { endTags, oggPage, SECRET, SECRETS, taggedFile } from '../../../test/tagged-files.ts'
import { fixture } from '../../../test/worker/fixtures.ts'
import { invited } from '../../../test/worker/harness.ts'
import { upload } from '../../../test/worker/uploads.ts'

async function through(mimeType: StoredMimeType, bytes: Uint8Array, step = bytes.length): Promise<Buffer> {
  async function* arriving() {
    for (let at = 0; at < bytes.byteLength; at += step) yield bytes.slice(at, at + step)
  }
  const parts: Uint8Array[] = []
  for await (const part of stripMetadata(arriving(), mimeType)) parts.push(new Uint8Array(part))
  return Buffer.concat(parts)
}

const tagged = async (name: string) => taggedFile(name, await fixture(name))

const FILES = [
  ['audio-2s.mp3', 'audio/mpeg', 'AUDIO'],
  ['audio-2s.aac', 'audio/aac', 'AUDIO'],
  ['audio-2s.wav', 'audio/wav', 'AUDIO'],
  ['voice-note-2s.ogg', 'audio/ogg', 'AUDIO'],
  ['video-2s.avi', 'video/x-msvideo', 'VIDEO'],
  ['video-2s.webm', 'video/webm', 'VIDEO'],
] as const

test.for(FILES)('%s is served without metadata and plays as before', async ([name, , type]) => {
  const { owner, memorial, relative } = await invited()
  const bytes = await tagged(name)
  expect(Buffer.from(bytes).toString('latin1')).toMatch(SECRETS)
  const { status, body } = await upload<MediaUploaded>(relative, memorial.id, { bytes, name, type })
  expect([status, body.media?.durationSec]).toEqual([201, expect.closeTo(2, 0)])
  for (const client of [owner, relative]) {
    const response = await client.fetch(`/media/stream/${body.id}`)
    const served = Buffer.from(await response.arrayBuffer())
    expect(served.byteLength).toBe(bytes.byteLength)
    expect(served.toString('latin1')).not.toMatch(SECRETS)
  }
})

test.for(FILES)('only the metadata of %s is stripped, for every chunk size', async ([name, mimeType]) => {
  const bytes = Buffer.from(await tagged(name))
  const clean = await through(mimeType, bytes)
  for (const step of [1, 7, 9, 11, 12, 13, 1000])
    expect((await through(mimeType, bytes, step)).equals(clean)).toBe(true)
  expect((await through(mimeType, clean)).equals(clean)).toBe(true)
  const marks = {
    mp3: 'Info',
    aac: '\xff\xf1',
    wav: 'data',
    ogg: 'OggS\0\0\x80',
    avi: 'movi',
    webm: '\x1f\x43\xb6\x75',
  }
  const mark = marks[name.slice(name.lastIndexOf('.') + 1) as keyof typeof marks]
  const original = Buffer.from(await fixture(name))
  const sound = original.subarray(original.indexOf(mark, 1, 'latin1'))
  expect(sound.byteLength).toBeGreaterThan(6000)
  expect(clean.indexOf(sound)).toBe(bytes.indexOf(sound))
})

test.for(['audio-2s.mp3', 'audio-2s.aac', 'audio-too-long.mp3'])(
  '%s has no metadata and stays unchanged',
  async (name) => {
    const bytes = Buffer.from(await fixture(name))
    expect((await through('audio/mpeg', bytes, 1000)).equals(bytes)).toBe(true)
  },
)

test('a last frame that is cut hides no tag, and noise between frames costs no frame', async () => {
  const bytes = Buffer.from(await fixture('audio-2s.aac'))
  const cut = bytes.subarray(0, bytes.byteLength - 60)
  const clean = await through('audio/aac', Buffer.concat([cut, endTags()]))
  expect(clean.subarray(0, cut.byteLength).equals(cut)).toBe(true)
  expect(clean.subarray(cut.byteLength).every((byte) => byte === 0)).toBe(true)
  // A recorder that leaves a few bytes after each frame: only these are blanked.
  const lengthAt = (at: number) => (bytes.readUIntBE(at + 3, 3) >> 5) & 0x1fff
  const loose: Buffer[] = []
  for (let at = 0; at < bytes.byteLength; at += lengthAt(at))
    loose.push(bytes.subarray(at, at + lengthAt(at)), Buffer.from('GPS'))
  const tight = loose.map((part, index) => (index % 2 ? Buffer.alloc(3) : part))
  expect((await through('audio/aac', Buffer.concat(loose), 1000)).equals(Buffer.concat(tight))).toBe(true)
  const noise = Buffer.from(`${SECRET}\xff\xf1\x50\x80\x1f\x5f\xfc${SECRET}`, 'latin1')
  const second = bytes.indexOf('\xff\xf1', 1, 'latin1')
  const noisy = Buffer.concat([bytes.subarray(0, second), noise, bytes.subarray(second)])
  const kept = await through('audio/aac', Buffer.concat([bytes, noisy]))
  const [from, to] = [bytes.byteLength + second, bytes.byteLength + second + noise.byteLength]
  expect(kept.subarray(from, to).every((byte) => byte === 0)).toBe(true)
  expect(kept.subarray(0, from).equals(Buffer.concat([bytes, noisy]).subarray(0, from))).toBe(true)
  expect(kept.subarray(to).equals(bytes.subarray(second))).toBe(true)
})

test('an Ogg recording stripped of its comments has valid checksums', async () => {
  const bytes = Buffer.from(await fixture('voice-note-2s.ogg'))
  // The stream's first page is rewritten with the same bytes, so its checksum must stay the same.
  const clean = await through('audio/ogg', bytes)
  expect(clean.subarray(0, 47).equals(bytes.subarray(0, 47))).toBe(true)
  expect(clean.readUInt32LE(47 + 22)).not.toBe(bytes.readUInt32LE(47 + 22))
  expect(clean.subarray(47 + 28, 47 + 44).toString('latin1')).toBe('OpusTags\0\0\0\0\0\0\0\0')
})

test('Ogg comments are stripped from all their pages, for every codec', async () => {
  const vorbis = Buffer.from(`\x03vorbis${SECRET.repeat(3)}`, 'latin1')
  const whole = oggPage(7, 0, vorbis)
  const first = oggPage(7, 0, Buffer.concat([vorbis, Buffer.alloc(255 - vorbis.length, SECRET)]))
  first.writeUInt8(1, 26)
  const cut = Buffer.concat([first.subarray(0, 28), first.subarray(29)])
  const rest = oggPage(7, 1, Buffer.from(SECRET))
  const head = oggPage(7, 2, Buffer.from('\x01vorbis', 'latin1'))
  const setup = oggPage(7, 0, Buffer.from('\x05vorbis and what follows', 'latin1'))
  for (const pages of [[whole], [cut, rest]]) {
    const clean = await through('audio/ogg', Buffer.concat([head, Buffer.from(SECRET), ...pages, setup]))
    expect(clean.toString('latin1')).not.toMatch(SECRETS)
    expect(clean.toString('latin1')).toContain('\x03vorbis\0\0\0\0\0\0\0\0\x01')
    expect(clean.subarray(-setup.length).equals(setup)).toBe(true)
  }
})

test('a WebM loses title, date and track names, also in a cluster of unknown size', async () => {
  const element = (id: number[], content: Buffer) =>
    Buffer.concat([Buffer.from([...id, 0x40 | (content.length >> 8), content.length & 255]), content])
  const text = Buffer.from(SECRET)
  const unknown = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
  const scale = element([0x2a, 0xd7, 0xb1], Buffer.from([1]))
  const day = element([0x44, 0x61], Buffer.from(SECRET.slice(0, 8)))
  const codec = element([0x86], Buffer.from('V_VP8'))
  const block = element([0xa3], Buffer.from([0x81, 0, 0, 0x80, 9]))
  const video = Buffer.concat([
    element([0x1a, 0x45, 0xdf, 0xa3], Buffer.from('webm')),
    Buffer.from([0x18, 0x53, 0x80, 0x67]),
    unknown,
    element([0x15, 0x49, 0xa9, 0x66], Buffer.concat([scale, element([0x7b, 0xa9], text), day])),
    element([0x16, 0x54, 0xae, 0x6b], element([0xae], Buffer.concat([codec, element([0x53, 0x6e], text)]))),
    element([0x19, 0x41, 0xa4, 0x69], text),
    Buffer.from([0x1f, 0x43, 0xb6, 0x75]),
    unknown,
    block,
    element([0x12, 0x54, 0xc3, 0x67], text),
    Buffer.from([0x10, 0x43, 0xa7, 0x70, 0x01, 0, 0, 0, 0, 0, 0, text.length]),
    text,
  ])
  for (const step of [1, 5, video.length]) {
    const clean = await through('video/webm', video, step)
    expect(clean.byteLength).toBe(video.byteLength)
    expect(clean.toString('latin1')).not.toMatch(/GPS|SN-|Exif/u)
    for (const kept of [scale, codec, block]) expect(clean.indexOf(kept)).toBe(video.indexOf(kept))
    // `Void` of the same length: 4 id and 2 or 8 size bytes become 1 and 5, or 1, 8 and 3 of content.
    const attached = video.indexOf(Buffer.from([0x19, 0x41, 0xa4, 0x69]))
    expect([...clean.subarray(attached, attached + 6)]).toEqual([0xec, 0x08, 0, 0, 0, text.length])
    const chapters = video.indexOf(Buffer.from([0x10, 0x43, 0xa7, 0x70]))
    expect([...clean.subarray(chapters, chapters + 9)]).toEqual([0xec, 1, 0, 0, 0, 0, 0, 0, text.length + 3])
  }
})

test('bytes after a WebM cut in a header, or damaged between clusters, are blanked', async () => {
  const bytes = Buffer.from(await fixture('video-2s.webm'))
  const cluster = bytes.indexOf('\x1f\x43\xb6\x75', 0, 'latin1')
  const secret = Buffer.concat([Buffer.from([0]), Buffer.from(SECRET)])
  // Both lengths unknown, as a browser's recorder writes them.
  const live = Buffer.from(bytes)
  live.set([1, 255, 255, 255, 255, 255, 255, 255], bytes.indexOf('\x18\x53\x80\x67', 0, 'latin1') + 4)
  const damaged = Buffer.concat([live.subarray(0, cluster), secret, live.subarray(cluster), secret])
  for (const step of [1, 9, damaged.byteLength]) {
    const clean = await through('video/webm', damaged, step)
    expect(clean.toString('latin1')).not.toMatch(SECRETS)
    expect(clean.subarray(cluster + secret.byteLength).indexOf(live.subarray(cluster))).toBe(0)
  }
})

test('a truncated recording keeps its audio', async () => {
  const wav = Buffer.from(await fixture('audio-2s.wav'))
  const data = wav.indexOf('data')
  wav.writeUInt32LE(0, data + 4)
  const clean = await through('audio/wav', wav, 1000)
  expect(clean.subarray(data).equals(wav.subarray(data))).toBe(true)
})

test('boxes of phone manufacturers are blanked', async () => {
  const video = Buffer.from(await fixture('video-2s.mp4'))
  const own = Buffer.concat([Buffer.from([0, 0, 0, 8 + SECRET.length]), Buffer.from(`sefd${SECRET}`)])
  const clean = await through('video/mp4', Buffer.concat([video, own, Buffer.from(SECRET)]), 1000)
  const end = clean.subarray(video.length)
  expect(end.subarray(8, own.length)).toEqual(Buffer.alloc(SECRET.length))
  expect(end.toString('latin1')).not.toMatch(SECRETS)
})

test('false lengths cause no endless loop and no read past the end', async () => {
  for (const length of [0, 1, 3, 0xffffffff]) {
    const riff = Buffer.concat([Buffer.from('RIFF\0\0\0\0AVI LIST\0\0\0\0hdrl'), Buffer.alloc(99)])
    riff.writeUInt32LE(length, 16)
    for (let end = 0; end <= riff.length; end += 5) {
      expect(await through('video/x-msvideo', riff.subarray(0, end), 3)).toHaveLength(end)
    }
    const tag = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0xff, 127, 127, 127, 127, length & 255])
    expect(await through('audio/mpeg', tag, 3)).toHaveLength(11)
  }
  for (const [name, mimeType] of FILES) {
    const bytes = Buffer.from(await tagged(name))
    for (let seed = 1; seed <= 40; seed++) {
      const broken = Buffer.from(bytes.subarray(0, 4000))
      for (let at = seed; at < 600; at += 17 * seed) broken.writeUInt8((at * seed) & 255, at)
      expect(await through(mimeType, broken, 97)).toHaveLength(broken.length)
    }
  }
})
