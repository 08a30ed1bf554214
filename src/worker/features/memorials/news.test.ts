import { expect, test } from 'vitest'
import type { Dashboard, MemorialView } from '#shared/memorials/memorials.ts'
import { keepers } from '#worker/schema/keepers.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import {
  contributorOf,
  memorialOf,
  signedIn,
  type Client,
  type SignedIn,
} from '../../../../test/worker/harness.ts'
import { keeperOf } from '../../../../test/worker/keepers.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { uploadFixture } from '../../../../test/worker/uploads.ts'

const TUESDAY = Date.UTC(2026, 0, 6, 9)

/** What the owner reads on the memorial's page and on its card. */
async function newsFor(owner: SignedIn, id: string) {
  const page = await owner.get<MemorialView>(`/api/memorials/${id}`)
  const { body } = await owner.get<Dashboard>('/api/dashboard')
  return [page.body.news, body.memorials.find((memorial) => memorial.id === id)?.news]
}

const nameOf = ({ user }: SignedIn) => `${user.firstName} ${user.lastName}`
const write = (client: Client, path: string) => client.post(`${path}/comments`, { body: 'Rest well' })

test('the owner sees how much others added since they last opened the memorial', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const farai = await contributorOf(owner, memorial.id, 'Farai Chikomo')
  await write(farai, path)
  expect(await newsFor(owner, memorial.id), 'before the first visit').toEqual([null, null])

  expect((await owner.post(`${path}/seen`)).status).toBe(204)
  const [visited] = await rowsOf(memorials, { id: memorial.id })
  const since = new Date(visited!.seenAt!).toISOString()
  const nothing = { items: 0, people: 0, since, you: null }
  expect(await newsFor(owner, memorial.id), 'what was there is not new').toEqual([nothing, nothing])

  await changeRows(memorials, { id: memorial.id }, { seenAt: TUESDAY })
  await uploadFixture(farai, memorial.id, 'photo.png')
  // The same person on another device.
  await write(await contributorOf(owner, memorial.id, 'Farai Chikomo'), path)
  await write(await contributorOf(owner, memorial.id, 'Chipo Dube'), path)
  await write(owner, path)
  await uploadFixture(owner, memorial.id, 'photo.png')
  const news = { items: 4, people: 2, since: new Date(TUESDAY).toISOString(), you: null }
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

test('only who looks after it reads what is new, and only their visit counts', async () => {
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

test(
  'keepers and helpers see what others added since their own visit',
  { tags: ['own-is-no-news'] },
  async () => {
    const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
    const keeper = await keeperOf(owner, memorial.id, 'KEEPER')
    const helper = await keeperOf(owner, memorial.id, 'HELPER')
    const newsOf = async (client: Client) => {
      const page = await client.get<MemorialView>(path)
      const { body } = await client.get<Dashboard>('/api/dashboard')
      return [page.body.news, body.kept?.[0]?.news]
    }
    const you = nameOf(keeper)
    expect(await newsOf(keeper), 'before the first visit').toEqual([null, null])
    expect((await keeper.post(`${path}/seen`)).status).toBe(204)
    expect(await newsOf(keeper)).toEqual(Array(2).fill(expect.objectContaining({ items: 0, people: 0, you })))
    expect(await newsOf(helper), 'another’s visit').toEqual([null, null])

    const [row] = await rowsOf(keepers, { memorialId: memorial.id, role: 'KEEPER' })
    await changeRows(keepers, { contributorId: row!.contributorId }, { seenAt: TUESDAY })
    await changeRows(memorials, { id: memorial.id }, { seenAt: TUESDAY })
    for (const client of [owner, keeper, helper, await contributorOf(owner, memorial.id, 'Farai Chikomo')])
      await write(client, path)
    await uploadFixture(owner, memorial.id, 'photo.png')
    const since = new Date(TUESDAY).toISOString()
    const news = { items: 4, people: 3, since, you }
    expect(await newsOf(keeper), 'the owner’s, the helper’s and Farai’s').toEqual([news, news])
    expect((await newsFor(owner, memorial.id))[0]).toMatchObject({ items: 3, you: null })

    expect((await helper.post(`${path}/seen`)).status).toBe(204)
    expect((await newsOf(helper))[0]).toMatchObject({ items: 0, you: nameOf(helper) })
    expect(await newsOf(keeper), 'not ended by the helper’s visit').toEqual([news, news])
  },
)
