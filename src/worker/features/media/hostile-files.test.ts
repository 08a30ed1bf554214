import { expect, test } from 'vitest'
import { MEDIA_TYPES } from '#shared/media.ts'
import {
  falseBeginnings,
  foreignFiles,
  oversizedImages,
} from '../../../../test/worker/hostile/hostile-files.ts'
import { memorialOf } from '../../../../test/worker/harness.ts'
import { mediaRowsOf, objectsOf, quotaItemsOf, upload } from '../../../../test/worker/uploads.ts'

async function leftBehind(memorialId: string) {
  return {
    rows: await mediaRowsOf(memorialId),
    objects: await objectsOf(memorialId),
    quota: await quotaItemsOf(memorialId),
  }
}
const NOTHING = { rows: [], objects: [], quota: [] }

test.each(MEDIA_TYPES)('70 files of other types are refused as %s and leave nothing behind', async (type) => {
  const { owner, memorial } = await memorialOf()
  const files = foreignFiles()
  expect(files.length).toBeGreaterThanOrEqual(70)
  for (const { name, bytes } of files) {
    const { status, body } = await upload(owner, memorial.id, { bytes, name, type })
    expect([name, status, body.code]).toEqual([name, 415, 'wrong_type'])
  }
  expect(await leftBehind(memorial.id)).toEqual(NOTHING)
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
  expect(await leftBehind(memorial.id)).toEqual(NOTHING)
})

test('an image with too many pixels, stated or decoded, is refused', async () => {
  const { owner, memorial } = await memorialOf()
  for (const { name, bytes } of await oversizedImages()) {
    const { status, body } = await upload(owner, memorial.id, { bytes, name: `${name}.png`, type: 'IMAGE' })
    expect([name, status, body.code]).toEqual([name, 400, 'bad_input'])
  }
  expect(await leftBehind(memorial.id)).toEqual(NOTHING)
})
