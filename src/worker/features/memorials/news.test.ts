import { expect, test } from 'vitest'
import type { Dashboard, MemorialView } from '#shared/memorials.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import {
  contributorOf,
  memorialOf,
  signedIn,
  type Client,
  type SignedIn,
} from '../../../../test/worker/harness.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { uploadFixture } from '../../../../test/worker/uploads.ts'

const TUESDAY = Date.UTC(2026, 0, 6, 9)

/** What the owner reads on the memorial's page and on its card. */
async function newsFor(owner: SignedIn, id: string) {
  const page = await owner.get<MemorialView>(`/api/memorials/${id}`)
  const { body } = await owner.get<Dashboard>('/api/dashboard')
  return [page.body.news, body.memorials.find((memorial) => memorial.id === id)?.news]
}

const write = (client: Client, path: string) => client.post(`${path}/comments`, { body: 'Rest well' })

test('the owner sees how much others added since they last opened the memorial', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const farai = await contributorOf(owner, memorial.id, 'Farai Chikomo')
  await write(farai, path)
  expect(await newsFor(owner, memorial.id), 'before the first visit').toEqual([null, null])

  expect((await owner.post(`${path}/seen`)).status).toBe(204)
  const [visited] = await rowsOf(memorials, { id: memorial.id })
  const since = new Date(visited!.seenAt!).toISOString()
  const nothing = { items: 0, people: 0, since }
  expect(await newsFor(owner, memorial.id), 'what was there is not new').toEqual([nothing, nothing])

  await changeRows(memorials, { id: memorial.id }, { seenAt: TUESDAY })
  await uploadFixture(farai, memorial.id, 'photo.png')
  // The same person on another device.
  await write(await contributorOf(owner, memorial.id, 'Farai Chikomo'), path)
  await write(await contributorOf(owner, memorial.id, 'Chipo Dube'), path)
  await write(owner, path)
  await uploadFixture(owner, memorial.id, 'photo.png')
  const news = { items: 4, people: 2, since: new Date(TUESDAY).toISOString() }
  expect(await newsFor(owner, memorial.id), 'all but the owner’s own').toEqual([news, news])
})

test('what is new in one memorial is not counted in another', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const other = await memorialOf({ privacy: 'INVITE', owner })
  await write(await contributorOf(owner, other.memorial.id), other.path)
  for (const { id } of [memorial, other.memorial]) await changeRows(memorials, { id }, { seenAt: TUESDAY })
  expect((await newsFor(owner, memorial.id))[0]?.items).toBe(0)
  expect((await newsFor(owner, other.memorial.id))[0]?.items).toBe(1)
})

test('only the owner reads what is new, and only their visit counts', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const relative = await contributorOf(owner, memorial.id)
  await write(relative, path)
  await changeRows(memorials, { id: memorial.id }, { seenAt: TUESDAY })
  const admin = await signedIn({ admin: true })
  for (const client of [relative, admin]) {
    expect((await client.get<MemorialView>(path)).body.news).toBeNull()
    expect((await client.post(`${path}/seen`)).status).toBe(403)
  }
  const { body } = await owner.get<MemorialView>(`/api/memorial/${memorial.slug}`)
  expect(body.news).toBeNull()
  expect((await newsFor(owner, memorial.id))[0]).toMatchObject({ items: 1 })
})
