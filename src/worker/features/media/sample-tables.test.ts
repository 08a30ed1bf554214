import { Buffer } from 'node:buffer'
import { expect, test } from 'vitest'
import { requireModestTables } from '#worker/features/media/sample-tables.ts'
import { fixture } from '../../../../test/worker/fixtures.ts'
import { memorialOf } from '../../../../test/worker/harness.ts'
import { upload } from '../../../../test/worker/uploads.ts'

/** The film with one number of one table overwritten. */
async function filmClaiming(table: string, offset: number, value: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await fixture('video-2s.mp4')
  const film = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  film.writeUInt32BE(value, film.indexOf(table) + offset)
  return bytes
}

test.each([
  ['billions of times', 'stts', 12, 0x7fffffff],
  ['billions of shown times', 'ctts', 12, 0xffffffff],
  ['billions of samples a chunk', 'stsc', 16, 0xffffffff],
  ['billions of chunks', 'stsc', 12, 0xffffffff],
])('a film that claims %s is refused before anybody lists them', async (_what, table, offset, value) => {
  const { owner, memorial } = await memorialOf()
  const bytes = await filmClaiming(table, offset, value)
  const { status, body } = await upload(owner, memorial.id, { bytes, name: 'film.mp4', type: 'VIDEO' })
  expect([status, body.code]).toEqual([400, 'bad_input'])
})

test('a fragment that claims billions of samples is refused, a true film is not', async () => {
  const fragment = Buffer.alloc(8 + 20)
  fragment.writeUInt32BE(28, 0)
  fragment.write('moof', 4, 'latin1')
  fragment.writeUInt32BE(20, 8)
  fragment.write('trun', 12, 'latin1')
  const check = async (bytes: Uint8Array) =>
    requireModestTables(async (start, end) => bytes.subarray(start, end), bytes.byteLength)
  await check(await fixture('video-2s.mp4'))
  await check(fragment)
  fragment.writeUInt32BE(0xffffffff, 20)
  await expect(check(fragment)).rejects.toThrow('too many samples')
})
