import { expect, test } from 'vitest'
import { DAY_MS, FAMILY_ACTIONS_KEPT_MS, FAMILY_ACTIONS_PAGE } from '#shared/limits.ts'
import { deleteOldRecords } from '#worker/features/removal/retention.jobs.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { auditLog } from '#worker/schema/admin.table.ts'
import { familyActions } from '#worker/schema/family-actions.table.ts'
import {
  contributorOf,
  memorialOf,
  signedIn,
  testCtx,
  type SignedIn,
} from '../../../../test/worker/harness.ts'
import { keeperOf } from '../../../../test/worker/keepers.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { sendFixture } from '../../../../test/worker/uploads.ts'

/** Gives an account another name, to tell people apart in the log. */
async function named<T extends SignedIn>(person: T, firstName: string): Promise<T> {
  await changeRows(users, { id: person.user.id }, { firstName, lastName: '' })
  return person
}

type Entry = { name: string | null; action: string; times: number }

async function stage() {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  await named(owner, 'Owner')
  const keeper = await named(await keeperOf(owner, memorial.id, 'KEEPER'), 'Keeper')
  const helper = await named(await keeperOf(owner, memorial.id, 'HELPER'), 'Helper')
  async function list(client = owner): Promise<Entry[]> {
    const { body } = await client.get(`${path}/family-actions`)
    return body.entries
      .map(({ name, action, times }: Entry) => ({ name, action, times }))
      .toSorted((a: Entry, b: Entry) => `${a.name}${a.action}`.localeCompare(`${b.name}${b.action}`))
  }
  const sorted = (entries: Entry[]) =>
    entries.toSorted((a, b) => `${a.name}${a.action}`.localeCompare(`${b.name}${b.action}`))
  return { owner, memorial, path, keeper, helper, list, sorted }
}

test('the log says what owner, keeper and helper did, once a day and action', async () => {
  const { owner, memorial, path, keeper, helper, list, sorted } = await stage()
  const relative = await contributorOf(owner, memorial.id)
  const theirs = (await relative.post(`${path}/comments`, { body: 'Mine' })).body.comment
  await keeper.patch(path, { title: 'She stayed.' })
  await keeper.patch(path, { title: 'She stays.' })
  await sendFixture(helper, memorial.id, 'photo.png')
  await helper.post(`${path}/comments`, { body: 'I held her hand.' })
  expect((await keeper.delete(`/api/comments/${theirs.id}`)).status).toBe(204)
  const [{ id }] = (await owner.get(`${path}/keepers`)).body.keepers
  await owner.put(`${path}/keepers/${id}`, { role: 'KEEPER', mayExport: true })
  await keeper.delete(`${path}/keepers/${id}`)
  const entries = sorted([
    { name: 'Owner', action: 'invite_keeper', times: 2 },
    { name: 'Owner', action: 'change_keeper', times: 1 },
    { name: 'Owner', action: 'change_privacy', times: 1 },
    { name: 'Keeper', action: 'become_keeper', times: 1 },
    { name: 'Keeper', action: 'edit_memorial', times: 2 },
    { name: 'Keeper', action: 'delete_comment', times: 1 },
    { name: 'Keeper', action: 'stop_keeping', times: 1 },
    { name: 'Helper', action: 'become_keeper', times: 1 },
    { name: 'Helper', action: 'add_media', times: 1 },
    { name: 'Helper', action: 'add_message', times: 1 },
  ])
  expect(await list()).toEqual(entries)
  expect(await list(helper)).toEqual(entries)
  expect((await keeper.get(`${path}/family-actions`)).status).toBe(403)
})

test('a refused change, and what relatives and admins do, isn’t in the log', async () => {
  const { owner, memorial, path, helper } = await stage()
  await testCtx().db.delete(familyActions)
  const relative = await contributorOf(owner, memorial.id)
  await relative.post(`${path}/comments`, { body: 'Mine' })
  expect((await helper.patch(path, { title: 'No' })).status).toBe(403)
  expect((await owner.patch(path, { title: 'x', updatedAt: '2020-01-01T00:00:00.000Z' })).status).toBe(409)
  expect((await owner.delete(`${path}/keepers/con_nobody`)).status).toBe(404)
  const admin = await signedIn({ admin: true })
  expect((await admin.patch(path, { title: 'We mended this' })).status).toBe(200)
  expect(await rowsOf(familyActions, { memorialId: memorial.id })).toEqual([])
  expect(await rowsOf(auditLog, { memorialId: memorial.id, action: 'edit_memorial' })).toHaveLength(1)
})

test('the log goes on in pages, and forgets after twelve months', async () => {
  const { owner, memorial, path } = await stage()
  const { db } = testCtx()
  await db.delete(familyActions)
  const now = Date.now()
  for (let day = 0; day <= FAMILY_ACTIONS_PAGE; day++)
    await db.insert(familyActions).values({
      id: `fac_${String(day).padStart(3, '0')}`,
      memorialId: memorial.id,
      userId: owner.user.id,
      action: 'edit_memorial',
      day,
      times: 1,
      createdAt: now - day * DAY_MS,
    })
  const first = (await owner.get(`${path}/family-actions`)).body
  expect(first.entries).toHaveLength(FAMILY_ACTIONS_PAGE)
  const next = (await owner.get(`${path}/family-actions?cursor=${first.nextCursor}`)).body
  expect([next.entries.map(({ id }: { id: string }) => id), next.nextCursor]).toEqual([
    [`fac_${String(FAMILY_ACTIONS_PAGE).padStart(3, '0')}`],
    null,
  ])
  await changeRows(familyActions, { id: 'fac_000' }, { createdAt: now - FAMILY_ACTIONS_KEPT_MS - 1 })
  await deleteOldRecords(testCtx())
  expect(await rowsOf(familyActions, { id: 'fac_000' })).toEqual([])
  expect(await rowsOf(familyActions, { memorialId: memorial.id })).toHaveLength(FAMILY_ACTIONS_PAGE)
})
