import { expect, test } from 'vitest'
import { Client, memorialOf } from './harness.ts'

const saidOf = async (path: string) => (await new Client().fetch(path)).headers.get('X-Robots-Tag')

test('search engines are kept out of a public memorial until its owner lets them in, and only while it is public', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  const [path, page] = [`/api/memorials/${memorial.id}`, `/m/${memorial.slug}`]
  const told: (string | null)[] = [await saidOf(page)]
  await owner.patch(path, { allowSearchEngines: true })
  told.push(await saidOf(page))
  for (const privacy of ['INVITE', 'PRIVATE', 'LOCKED']) {
    await owner.patch(`${path}/privacy`, { privacy })
    told.push(await saidOf(page))
  }
  await owner.patch(path, { allowSearchEngines: false })
  told.push(await saidOf(page))
  expect(told).toEqual(['noindex', 'all', 'noindex', 'noindex', 'all', 'noindex'])
})

test('search engines find neither other screens of a memorial nor its data, whatever its owner allows', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED' })
  await owner.patch(`/api/memorials/${memorial.id}`, { allowSearchEngines: true })
  const paths = [
    `/memorial/${memorial.id}`,
    `/api/memorial/${memorial.slug}`,
    `/m/${memorial.slug}-more`,
    '/m/nobody-aaaaaa',
    '/dashboard',
  ]
  expect(await Promise.all(paths.map(saidOf))).toEqual(paths.map(() => 'noindex'))
})
