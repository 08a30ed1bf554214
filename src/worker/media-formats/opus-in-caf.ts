import { Buffer } from 'node:buffer'
import { OggError, oggPackets } from '#worker/media-formats/ogg.ts'

/** Opus counts samples at this rate, independent of the recording's rate (RFC 7845, 4). */
const RATE = 48_000
/** kCAFChannelLayoutTag_Mono and _Stereo. */
const LAYOUTS = [(100 << 16) | 1, (101 << 16) | 2]
/** Size of the output blocks. */
const BLOCK_BYTES = 64 * 1024
/** More than an hour of speech. A crafted file of 50 MB can have 25 million packets, to be counted per request. */
const PACKETS_MAX = 200_000
/** OpusHead and OpusTags (RFC 7845, 5). */
const HEADER_PACKETS = 2

/** Contents of a CAF file's header. Samples at 48 kHz. */
export type CafPlan = {
  channels: 1 | 2
  packets: number
  packetBytes: number
  packetSamples: number
  /** Samples to skip at the beginning, and to play after that. */
  preSkip: number
  validSamples: number
  /** Bytes of the whole file. */
  size: number
}

/** Plans packets of equal size, which is all that Safari before 18.4 plays. Null if that is impossible. */
export async function planCaf(
  ogg: AsyncIterable<Uint8Array>,
  packetsMax: number = PACKETS_MAX,
): Promise<CafPlan | null> {
  let head: Buffer | null = null
  let [packets, packetBytes, packetSamples, at, end] = [0, 0, 0, 0, 0n]
  try {
    for await (const { bytes, position } of oggPackets(ogg, OPUS_PACKET_MAX_BYTES)) {
      if (at++ === 0) head = bytes
      if (at === 1 && !isOpusHead(bytes)) return null
      if (at <= HEADER_PACKETS) continue
      const samples = opusSamples(bytes)
      packetSamples ||= samples
      if (samples === 0 || samples !== packetSamples) return null
      if (!toContent(bytes)) return null
      packetBytes = Math.max(packetBytes, bytes.byteLength)
      if (++packets > packetsMax) return null
      end = position ?? end
    }
  } catch (error) {
    if (error instanceof OggError) return null
    throw error
  }
  if (!head || packets === 0) return null
  const channels = head.readUInt8(9)
  if (channels !== 1 && channels !== 2) return null
  const preSkip = head.readUInt16LE(10)
  const samples = packets * packetSamples
  const validSamples = Math.max(0, Math.min(Number(end), samples) - preSkip)
  const plan = { channels, packets, packetBytes, packetSamples, preSkip, validSamples } as const
  return { ...plan, size: cafHead(plan).byteLength + packets * packetBytes }
}

/** Mapping family 0, version 1 (RFC 7845, 5.1). */
function isOpusHead(packet: Buffer): boolean {
  return (
    packet.byteLength >= 19 &&
    packet.toString('latin1', 0, 8) === 'OpusHead' &&
    packet.readUInt8(8) >> 4 === 0 &&
    packet.readUInt8(18) === 0
  )
}

/** Writes the CAF file of this plan without encoding again. Keeps a page and a block in memory. */
export async function* oggToCaf(ogg: AsyncIterable<Uint8Array>, plan: CafPlan): AsyncGenerator<Uint8Array> {
  let block: Buffer[] = [cafHead(plan)]
  let blockBytes = 0
  let at = 0
  for await (const { bytes } of oggPackets(ogg, OPUS_PACKET_MAX_BYTES)) {
    if (at++ < HEADER_PACKETS) continue
    const padded = padPacket(bytes, plan.packetBytes)
    if (!padded) throw new OggError('a packet that cannot be padded')
    block.push(padded)
    blockBytes += padded.byteLength
    if (blockBytes < BLOCK_BYTES) continue
    yield Buffer.concat(block)
    block = []
    blockBytes = 0
  }
  yield Buffer.concat(block)
}

/** https://developer.apple.com/library/archive/documentation/MusicAudio/Reference/CAFSpec/CAF_spec/CAF_spec.html */
function cafHead(plan: Omit<CafPlan, 'size'>): Buffer {
  const { channels, packets, packetBytes, packetSamples, preSkip, validSamples } = plan
  const file = Buffer.alloc(8)
  file.write('caff', 0, 'latin1')
  file.writeUInt16BE(1, 4)

  const description = Buffer.alloc(32)
  description.writeDoubleBE(RATE, 0)
  description.write('opus', 8, 'latin1')
  description.writeUInt32BE(packetBytes, 16)
  description.writeUInt32BE(packetSamples, 20)
  description.writeUInt32BE(channels, 24)

  const layout = Buffer.alloc(12)
  layout.writeUInt32BE(LAYOUTS[channels - 1] ?? 0, 0)

  // Packets of equal size need no table, only the numbers of valid, priming and remainder samples.
  const packetInfo = Buffer.alloc(24)
  packetInfo.writeBigInt64BE(BigInt(validSamples), 8)
  packetInfo.writeInt32BE(preSkip, 16)
  packetInfo.writeInt32BE(Math.max(0, packets * packetSamples - preSkip - validSamples), 20)

  const editCount = Buffer.alloc(4)
  return Buffer.concat([
    file,
    chunkHead('desc', description.byteLength),
    description,
    chunkHead('chan', layout.byteLength),
    layout,
    chunkHead('pakt', packetInfo.byteLength),
    packetInfo,
    chunkHead('data', editCount.byteLength + packets * packetBytes),
    editCount,
  ])
}

function chunkHead(name: string, size: number): Buffer {
  const head = Buffer.alloc(12)
  head.write(name, 0, 'latin1')
  head.writeBigInt64BE(BigInt(size), 4)
  return head
}

/** 48 frames (120 ms) of 1,275 bytes with two length bytes each, and a two-byte header (RFC 6716, 3.2 and 3.4). */
export const OPUS_PACKET_MAX_BYTES = 48 * (1275 + 2) + 2
const [VARIABLE, PADDED, COUNT] = [0x80, 0x40, 0x3f]
/** A padding length byte of 255 stands for itself and 254 more bytes. */
const PADDING_STEP = 255

/** Samples at 48 kHz in a packet, from its first bytes (RFC 6716, 3.1); 0 if invalid. */
export function opusSamples(packet: Uint8Array): number {
  const [toc = 0, second = 0] = packet
  const config = toc >> 3
  const frame = config < 16 ? silkSamples(config) : 120 << (config & 3)
  const code = toc & 3
  if (code === 3) return frame * (second & COUNT)
  return packet.byteLength === 0 ? 0 : frame * (code === 0 ? 1 : 2)
}

function silkSamples(config: number): number {
  if (config >= 12) return (config & 1) === 0 ? 480 : 960
  return [480, 960, 1920, 2880][config & 3] ?? 0
}

/** The packet padded to `size` bytes, which decoders skip (RFC 6716, 3.2.5). Null if it is longer or invalid. */
export function padPacket(packet: Buffer, size: number): Buffer | null {
  if (packet.byteLength === size) return packet
  const [toc = 0] = packet
  const content = toContent(packet)
  if (!content) return null
  const padding = size - 2 - content.body.byteLength
  if (padding < 0) return null
  const lengths = padding === 0 ? [] : paddingLengths(padding)
  const head = [toc | 3, content.count | (padding === 0 ? 0 : PADDED), ...lengths]
  return Buffer.concat([Buffer.from(head), content.body], size)
}

/** The packet as code 3 without padding: the frame count byte, and the frames with their lengths. */
function toContent(packet: Buffer): { count: number; body: Buffer } | null {
  if (packet.byteLength === 0) return null
  const code = packet.readUInt8(0) & 3
  if (code < 3) {
    const count = [1, 2, 2 | VARIABLE][code] ?? 1
    return { count, body: packet.subarray(1) }
  }
  if (packet.byteLength < 2) return null
  const count = packet.readUInt8(1)
  if ((count & PADDED) === 0) return { count, body: packet.subarray(2) }
  let at = 2
  let padding = 0
  for (;;) {
    if (at >= packet.byteLength) return null
    const length = packet.readUInt8(at++)
    padding += length === PADDING_STEP ? PADDING_STEP - 1 : length
    if (length < PADDING_STEP) break
  }
  if (at + padding > packet.byteLength) return null
  return { count: count & ~PADDED, body: packet.subarray(at, packet.byteLength - padding) }
}

/** The length bytes for `padding` bytes of padding, which include the length bytes. */
function paddingLengths(padding: number): number[] {
  const full = Math.floor((padding - 1) / PADDING_STEP)
  const lengths = Array.from({ length: full }, () => PADDING_STEP)
  return [...lengths, padding - full * PADDING_STEP - 1]
}
