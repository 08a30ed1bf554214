import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { messages } from '#shared/messages.ts'
import { PRIVACY } from '#shared/memorials/memorials.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { meanwhileEnv } from '../../../../test/worker/faults/faults.ts'
import { invited, memorialOf, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { keeperIdOf, keeperOf } from '../../../../test/worker/keepers.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const transitions = PRIVACY.flatMap((from) => PRIVACY.map((to) => [from, to] as const))

async function countBrokenLocks(): Promise<number> {
  const rows = await testCtx()
    .db.select({ id: memorials.id })
    .from(memorials)
    .where(sql`(${memorials.lockedAt} is not null) <> (${memorials.privacy} = 'LOCKED')`)
  return rows.length
}

test.each(transitions)(
  'a paid memorial goes from %s to %s and has lockedAt only while LOCKED',
  async (from, to) => {
    const { owner, memorial } = await memorialOf({ privacy: from })
    const { status, body } = await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: to })
    expect(status).toBe(200)
    expect(body).toEqual({
      ...memorial,
      privacy: to,
      lockedAt: to === 'LOCKED' ? (memorial.lockedAt ?? expect.any(String)) : null,
      updatedAt: expect.any(String),
    })
    expect(await countBrokenLocks()).toBe(0)
  },
)

test.each(transitions)(
  'an unpaid memorial in %s goes to %s only if that shares nothing',
  async (from, to) => {
    const owner = await signedIn()
    const { body: memorial } = await owner.post('/api/memorials', { honoureeFullName: 'Rudo' })
    const lockedAt = from === 'LOCKED' ? 5 : null
    await changeRows(memorials, { id: memorial.id }, { privacy: from, lockedAt })
    const { status, body } = await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: to })
    const refused = [402, 'payment_required']
    expect([status, body.code]).toEqual(to === 'PRIVATE' ? [200, undefined] : refused)
    expect((await owner.get(`/api/memorials/${memorial.id}`)).body.memorial.privacy).toBe(
      to === 'PRIVATE' ? to : from,
    )
    expect(await countBrokenLocks()).toBe(0)
  },
)

test('any other privacy is refused', async () => {
  const { owner, memorial } = await memorialOf()
  for (const privacy of ['PUBLIC', 'locked', '', null, 1]) {
    expect((await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy })).status).toBe(400)
  }
})

test.each(['PRIVATE', 'LOCKED'] as const)(
  'a keeper who is removed while they make it %s changes nothing',
  { tags: ['privacy-needs-keeper', 'removed-keeper-ends-no-sessions'] },
  async (privacy) => {
    const { owner, memorial, path, relative } = await invited()
    const keeper = await keeperOf(owner, memorial.id, 'KEEPER')
    const id = await keeperIdOf(owner, memorial.id)
    const state = async () => [
      await rowsOf(memorials, { id: memorial.id }),
      await rowsOf(contributors, { id: relative.session.contributorId }),
    ]
    const before = await state()
    keeper.bindings = meanwhileEnv(() => owner.delete(`${path}/keepers/${id}`))
    const { status, body } = await keeper.patch(`${path}/privacy`, { privacy })
    expect([status, body]).toEqual([403, { code: 'forbidden', message: messages.memorial.ownerOnly }])
    expect(await state()).toEqual(before)
    expect((await relative.get(`${path}/contributor-session`)).status).toBe(200)
  },
)
