import { expect, test } from 'vitest'
import { withDensity } from './image-files.ts'

/** A `pHYs` chunk of 24,000 pixels per metre, with the CRC-32 that zlib computes. */
const CHUNK = '000000097048597300005dc000005dc0011611eaca'

test('the density is a chunk right after the header, with a correct checksum', () => {
  const png = Uint8Array.from({ length: 100 }, (_, index) => index)
  const dense = withDensity(png, 24_000)
  expect([...dense.subarray(0, 33)]).toEqual([...png.subarray(0, 33)])
  expect(hexOf(dense.subarray(33, 54))).toBe(CHUNK)
  expect([...dense.subarray(54)]).toEqual([...png.subarray(33)])
})

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
