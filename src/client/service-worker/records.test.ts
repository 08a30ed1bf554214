import { expect, test } from 'vitest'
import { OFFLINE_ASSETS } from '#shared/limits.ts'
import { assetsIn, assetsToDrop, mediaIdsIn, memorialsToDrop, type CachedMemorial } from './records.ts'

const MB = 1024 * 1024

/** A memorial opened `age` milliseconds ago. */
function memorial(slug: string, age: number, size: number): CachedMemorial {
  const openedAt = 1_000_000 - age
  const sizes = { '/api': size / 2, '/picture': size / 2 }
  return { slug, id: null, name: slug, path: `/m/${slug}`, openedAt, mediaIds: [], assets: [], sizes }
}

test('ten memorials are cached; the one opened longest ago goes first', () => {
  const ten = Array.from({ length: 10 }, (_, index) => memorial(`m${index}`, index, MB))
  expect(memorialsToDrop(ten)).toEqual([])
  expect(memorialsToDrop([memorial('oldest', 99, 1), ...ten, memorial('old', 98, 1)])).toEqual([
    'old',
    'oldest',
  ])
})

test('above 30 MB in all, memorials go as a whole, oldest first', () => {
  const cached = [memorial('a', 3, 8 * MB), memorial('b', 2, 8 * MB), memorial('c', 1, 8 * MB)]
  expect(memorialsToDrop(cached)).toEqual([])
  expect(memorialsToDrop([...cached, memorial('d', 0, 8 * MB)])).toEqual(['a'])
  expect(memorialsToDrop([...cached, memorial('d', 0, 20 * MB)])).toEqual(['b', 'a'])
})

test('surplus files go oldest first, except those that a cached page names', () => {
  const urls = Array.from(
    { length: OFFLINE_ASSETS + 2 },
    (_, index) => `https://nhaka.test/assets/f${index}.js`,
  )
  expect(assetsToDrop(urls.slice(2), new Set())).toEqual([])
  expect(assetsToDrop(urls, new Set(['/assets/f0.js']))).toEqual([
    'https://nhaka.test/assets/f1.js',
    'https://nhaka.test/assets/f2.js',
  ])
})

test('the photos and files that a page names are found', () => {
  const html =
    '<script type="module" src="/assets/public-Ab_1-x.js"></script><img src="/media/stream/med_1a?w=640"><img src="/media/stream/med_1a?w=320"><a href="?photo=med_2b">'
  expect([mediaIdsIn(html), assetsIn(html)]).toEqual([['med_1a', 'med_2b'], ['/assets/public-Ab_1-x.js']])
})
