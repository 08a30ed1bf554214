import { expect, test } from 'vitest'
import { PART_BYTES } from '../limits.ts'
import { SNIFF_BYTES, FIRST_CHUNK_BYTES, LARGEST_CHUNK_BYTES, nextChunkBytes, chunkBytes } from './uploads.ts'

const KB = 1024

test('a fast connection doubles the chunk size from 512 kB up to 10 MB', () => {
  const sizes = [FIRST_CHUNK_BYTES]
  for (let at = 0; at < 6; at++) sizes.push(nextChunkBytes(sizes[at] ?? 0, 1000, sizes[at]))
  expect(sizes.map((size) => size / KB)).toEqual([512, 1024, 2048, 4096, 8192, 10_240, 10_240])
})

test('at 256 kbit/s no chunk takes longer than 20 seconds', () => {
  let size = FIRST_CHUNK_BYTES
  const seconds: number[] = []
  for (let at = 0; at < 10; at++) {
    const taken = size / (256_000 / 8)
    seconds.push(taken)
    size = nextChunkBytes(size, taken * 1000, size)
  }
  expect(Math.max(...seconds)).toBeLessThan(20)
})

test('chunks shrink on a slow or broken connection, but never below 512 kB', () => {
  expect(nextChunkBytes(4096 * KB, 20_000, 4096 * KB)).toBe(2048 * KB)
  expect(nextChunkBytes(0, Number.POSITIVE_INFINITY, 512 * KB)).toBe(512 * KB)
})

test('the small last chunk of a file does not change the chunk size', () => {
  expect(nextChunkBytes(3 * KB, 10, 1024 * KB)).toBe(1024 * KB)
})

test('a chunk that was cut at a part boundary still lets the chunk size grow', () => {
  expect(nextChunkBytes(2500 * KB, 1000, 4096 * KB, 2500 * KB)).toBe(8192 * KB)
})

test('on a fast connection every chunk is at least half size and ends at a part', () => {
  const ends: number[] = []
  let wanted = FIRST_CHUNK_BYTES
  for (let offset = 0; ends.length < 12;) {
    const size = chunkBytes(offset, wanted)
    expect(size).toBeGreaterThanOrEqual(wanted / 2)
    expect(size).toBeLessThanOrEqual(wanted)
    offset += size
    ends.push(offset)
    wanted = nextChunkBytes(size, 1000, wanted, size)
  }
  expect(wanted).toBe(LARGEST_CHUNK_BYTES)
  expect(ends.slice(-7).map((end) => (end - SNIFF_BYTES) % PART_BYTES)).toEqual([0, 0, 0, 0, 0, 0, 0])
})
