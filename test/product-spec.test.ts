import { expect, test } from 'vitest'
import { SPEC_NUMBERS, SPEC_WORDS } from '../scripts/lib/product-spec.ts'
import * as limits from '../src/shared/limits.ts'
import { fileTooLarge, messages, onlyMorePhotos } from '../src/shared/messages.ts'

test('every number that the product spec states stands in limits.ts', () => {
  expect(limits).toMatchObject(SPEC_NUMBERS)
})

test('what others may send is limited to 15, 250 and 50 MB, whoever owns the memorial to 50, 250 and 50', () => {
  const MB = 1024 * 1024
  expect(limits.MEDIA_MAX_BYTES).toEqual({
    owner: { IMAGE: 50 * MB, VIDEO: 250 * MB, AUDIO: 50 * MB },
    contributor: { IMAGE: 15 * MB, VIDEO: 250 * MB, AUDIO: 50 * MB },
  })
})

test('every sentence that the product spec gives word by word stands in messages.ts', () => {
  const said = new Set<string>(Object.values(messages).flatMap((group) => Object.values(group)))
  expect(SPEC_WORDS.filter((words) => !said.has(words))).toEqual([])
})

test('sentences with a number in them are made as the product spec writes them', () => {
  expect([fileTooLarge(312 * 1024 * 1024, 250 * 1024 * 1024), onlyMorePhotos(3)]).toEqual([
    'File size (312 MB) exceeds the maximum allowed size (250 MB)',
    'You can only add 3 more photos',
  ])
})
