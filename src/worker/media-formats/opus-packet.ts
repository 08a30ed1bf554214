import { Buffer } from 'node:buffer'

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

/**
 * The same packet with padding to `size` bytes, which decoders skip (RFC 6716, 3.2.5). Null if it is longer or invalid.
 */
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

/** Whether {@link padPacket} can extend the packet. */
export function canBePadded(packet: Buffer): boolean {
  return toContent(packet) !== null
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
