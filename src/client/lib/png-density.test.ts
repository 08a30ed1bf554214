import { expect, test } from 'vitest'
import { withDensity } from './png-density.ts'

/** Of 24,000 pixels a metre, as zlib's own CRC-32 ends it. */
const CHUNK = '000000097048597300005dc000005dc0011611eaca'

test('a picture gets its density as a chunk of its own right behind its header, with a true checksum', () => {
  const png = Uint8Array.from({ length: 100 }, (_, index) => index)
  const dense = withDensity(png, 24_000)
  expect([...dense.subarray(0, 33)]).toEqual([...png.subarray(0, 33)])
  expect(hexOf(dense.subarray(33, 54))).toBe(CHUNK)
  expect([...dense.subarray(54)]).toEqual([...png.subarray(33)])
})

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
