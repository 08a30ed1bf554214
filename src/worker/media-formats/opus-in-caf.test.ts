import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { oggPackets } from '#worker/media-formats/ogg.ts'
import { oggToCaf, planCaf, opusSamples, padPacket } from '#worker/media-formats/opus-in-caf.ts'
import { fixture } from '../../../test/worker/fixtures.ts'
import { memorialOf, testCtx } from '../../../test/worker/harness.ts'
import { sendFixture, uploadFixture } from '../../../test/worker/uploads.ts'

/** A file as it arrives from storage: in chunks that split pages anywhere. */
async function* inChunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size)
}

async function gathered(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const part of parts) all.push(part)
  return Buffer.concat(all)
}

async function cafOf(bytes: Uint8Array, chunks: number) {
  const plan = await planCaf(inChunks(bytes, chunks))
  if (!plan) return null
  return { plan, caf: await gathered(oggToCaf(inChunks(bytes, chunks), plan)) }
}

const bytesOf = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')

test.for([
  // One frame; two of equal length; two of different lengths; several; several with padding.
  ['08 aabb', '0b 01 aabb', '0b 41 00 aabb', '0b 41 02 aabb 0000'],
  ['09 aabb', '0b 02 aabb', '0b 42 00 aabb', '0b 42 02 aabb 0000'],
  ['0a 01 aa bb', '0b 82 01 aa bb', '0b c2 00 01 aa bb', '0b c2 02 01 aa bb 0000'],
  ['0b 02 aa bb', '0b 02 aabb', '0b 42 00 aabb', '0b 42 02 aabb 0000'],
  ['0b 42 01 aa bb 00', '0b 02 aabb', '0b 42 00 aabb', '0b 42 02 aabb 0000'],
] as const)(
  'packet %s is padded as RFC 6716 defines, without changing its frames',
  ([from, none, one, three]) => {
    const packet = bytesOf(from)
    const wanted = [none, one, three]
      .map(bytesOf)
      .filter(({ byteLength }) => byteLength !== packet.byteLength)
    expect(wanted.map(({ byteLength }) => padPacket(packet, byteLength))).toEqual(wanted)
    expect(padPacket(packet, packet.byteLength)).toEqual(packet)
    const long = padPacket(packet, 1000)
    const content = bytesOf(none).subarray(2)
    const lengthBytes = 1000 - 2 - content.byteLength > 765 ? 4 : 3
    expect(long?.subarray(2, 2 + lengthBytes - 1)).toEqual(Buffer.alloc(lengthBytes - 1, 255))
    expect(long?.subarray(2 + lengthBytes, 2 + lengthBytes + content.byteLength)).toEqual(content)
    expect([long?.byteLength, long && opusSamples(long)]).toEqual([1000, opusSamples(packet)])
  },
)

test('invalid and too long packets are not padded', () => {
  expect(['', '0b', '0b 41', '0b 41 ff', '0b 41 09 aa'].map((hex) => padPacket(bytesOf(hex), 20))).toEqual(
    Array.from({ length: 5 }, () => null),
  )
  expect(padPacket(bytesOf('08 aa bb cc'), 3)).toBeNull()
})

test('an Ogg recording becomes CAF with equal packets, in order, of the same duration', async () => {
  const ogg = await fixture('voice-note-2s.ogg')
  const made = await cafOf(ogg, 100)
  expect(made?.plan).toEqual({
    channels: 1,
    packets: 101,
    packetBytes: 117,
    packetSamples: 960,
    preSkip: 312,
    validSamples: 96_000,
    size: 128 + 101 * 117,
  })
  const caf = made?.caf ?? Buffer.alloc(0)
  expect(caf.byteLength).toBe(made?.plan.size)
  expect(caf.subarray(0, 128).toString('latin1')).toMatch(/^caff.{4}desc.{40}chan.{20}pakt.{32}data/su)
  expect([caf.readDoubleBE(20), caf.readUInt32BE(36), caf.readUInt32BE(40), caf.readUInt32BE(44)]).toEqual([
    48_000, 117, 960, 1,
  ])
  const packets: Buffer[] = []
  for await (const { bytes } of oggPackets(inChunks(ogg, 4096), 2000)) packets.push(bytes)
  const sound = packets.slice(2).map((packet) => padPacket(packet, 117))
  expect(caf.subarray(128).equals(Buffer.concat(sound.map((packet) => packet ?? Buffer.alloc(0))))).toBe(true)
})

test('a file that is not a complete single Opus stream gets no CAF copy', async () => {
  const ogg = await fixture('voice-note-2s.ogg')
  const twice = new Uint8Array(Buffer.concat([ogg, ogg]))
  const other = Buffer.from(ogg)
  // The second copy has another stream number.
  const second = Buffer.from(ogg)
  second.writeUInt32LE(7, 14)
  const vorbis = Buffer.from(ogg)
  vorbis.write('\x01vorbis', 28, 'latin1')
  const surround = Buffer.from(ogg)
  surround.writeUInt8(1, 28 + 18)
  for (const bytes of [
    vorbis,
    surround,
    twice,
    Buffer.concat([other, second]),
    ogg.subarray(0, 60),
    new Uint8Array(70_000),
  ]) {
    expect(await planCaf(inChunks(bytes, 1000))).toBeNull()
  }
})

/** Pages with one OpusHead, one OpusTags, and `pages` × 250 packets of one byte and 20 ms each. */
async function* endless(pages: number): AsyncGenerator<Uint8Array> {
  const page = (flags: number, packets: Buffer[]) => {
    const head = Buffer.alloc(27)
    head.write('OggS')
    head.writeUInt8(flags, 5)
    head.writeUInt8(packets.length, 26)
    return Buffer.concat([head, Buffer.from(packets.map(({ byteLength }) => byteLength)), ...packets])
  }
  const opusHead = Buffer.alloc(19)
  opusHead.write('OpusHead\u0001\u0001')
  yield page(2, [opusHead])
  yield page(0, [Buffer.from('OpusTags')])
  const many = page(
    0,
    Array.from({ length: 250 }, () => Buffer.from([8])),
  )
  for (let at = 0; at < pages; at++) yield many
}

test('reading stops at more packets than an hour of speech has', async () => {
  expect(await planCaf(endless(8), 2000)).toMatchObject({ packets: 2000 })
  expect(await planCaf(endless(9), 2000)).toBeNull()
  let taken = 0
  async function* counted() {
    for await (const page of endless(4000)) {
      taken++
      yield page
    }
  }
  expect([await planCaf(counted()), taken < 1000]).toEqual([null, true])
})

test('the CAF copy is made on the first request and served in exact ranges', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = await fixture('voice-note-2s.ogg')
  const { body } = await uploadFixture(owner, memorial.id, 'voice-note-2s.ogg', { name: 'PTT.ogg' })
  const path = `/media/stream/${body.id}`
  const caf = (await cafOf(new Uint8Array(bytes), 4096))?.caf
  const first = await owner.fetch(`${path}?as=caf`)
  expect(Object.fromEntries(first.headers)).toMatchObject({
    'content-type': 'audio/x-caf',
    'content-disposition': expect.stringContaining('"PTT.caf"'),
    'accept-ranges': 'bytes',
  })
  expect(Buffer.from(await first.arrayBuffer()).equals(caf ?? Buffer.alloc(0))).toBe(true)
  const key = `m/${memorial.id}/${body.id}/voice.caf`
  const made = await testCtx().env.MEDIA.head(key)
  const part = await owner.fetch(`${path}?as=caf`, { headers: { Range: 'bytes=128-244' } })
  expect([part.status, part.headers.get('Content-Range')]).toEqual([206, `bytes 128-244/${caf?.byteLength}`])
  expect(Buffer.from(await part.arrayBuffer())).toEqual(caf?.subarray(128, 245))
  expect((await testCtx().env.MEDIA.head(key))?.uploaded).toEqual(made?.uploaded)
  const untouched = await owner.fetch(path)
  const stored = await testCtx().env.MEDIA.get(`m/${memorial.id}/${body.id}`)
  expect(untouched.headers.get('Content-Type')).toBe('audio/ogg')
  expect(
    Buffer.from(await untouched.arrayBuffer()).equals(Buffer.from((await stored?.arrayBuffer()) ?? '')),
  ).toBe(true)
})

test('other recordings have no CAF copy, and a failed conversion is not repeated', async () => {
  const { owner, memorial } = await memorialOf()
  const mp3 = await sendFixture(owner, memorial.id, 'audio-2s.mp3')
  expect((await owner.fetch(`/media/stream/${mp3}?as=caf`)).status).toBe(404)
  expect((await owner.fetch(`/media/stream/${mp3}?as=wav`)).status).toBe(400)
  const ogg = await sendFixture(owner, memorial.id, 'voice-note-2s.ogg')
  const key = `m/${memorial.id}/${ogg}`
  await testCtx().env.MEDIA.put(key, new Uint8Array(9000))
  for (const _ of [1, 2]) expect((await owner.fetch(`/media/stream/${ogg}?as=caf`)).status).toBe(404)
  expect((await testCtx().env.MEDIA.head(`${key}/voice.caf`))?.size).toBe(0)
})
