/** Signature and IHDR, which comes first: https://www.w3.org/TR/png-3/#5ChunkOrdering */
const AFTER_HEADER = 33
const PER_METRE = 1

/**
 * The same PNG with a `pHYs` chunk (https://www.w3.org/TR/png-3/#11pHYs) for this density. The PNG must not have one
 * already.
 */
export function withDensity(png: Uint8Array, pixelsPerMetre: number): Uint8Array<ArrayBuffer> {
  const chunk = new DataView(new ArrayBuffer(4 + 4 + 9 + 4))
  chunk.setUint32(0, 9)
  for (const [index, letter] of [...'pHYs'].entries()) chunk.setUint8(4 + index, letter.charCodeAt(0))
  chunk.setUint32(8, pixelsPerMetre)
  chunk.setUint32(12, pixelsPerMetre)
  chunk.setUint8(16, PER_METRE)
  chunk.setUint32(17, crc32(new Uint8Array(chunk.buffer, 4, 13)))
  const whole = new Uint8Array(png.length + chunk.byteLength)
  whole.set(png.subarray(0, AFTER_HEADER))
  whole.set(new Uint8Array(chunk.buffer), AFTER_HEADER)
  whole.set(png.subarray(AFTER_HEADER), AFTER_HEADER + chunk.byteLength)
  return whole
}

/** https://www.w3.org/TR/png-3/#5CRC-algorithm */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
