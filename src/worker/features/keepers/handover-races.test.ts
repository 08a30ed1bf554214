import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { changeOwner } from '#worker/features/keepers/change-owner.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { handovers, keepers } from '#worker/schema/keepers.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { PASSWORD } from '../../../../test/worker/accounts.ts'
import { meanwhileEnv } from '../../../../test/worker/faults/faults.ts'
import { Client, testCtx } from '../../../../test/worker/harness.ts'
import { handingOver, keeperIdOf } from '../../../../test/worker/keepers.ts'
import { atOnce, statusesOf } from '../../../../test/worker/repeat.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'

type Stage = Awaited<ReturnType<typeof handingOver>>

/** Who owns the memorial and who keeps it, which must be two people at most, and never the same. */
async function ownership({ owner, keeper, memorial }: Stage) {
  const [row] = await rowsOf(memorials, { id: memorial.id })
  const kept = (await rowsOf(keepers, { memorialId: memorial.id })).map(({ userId }) => userId)
  const nameOf = (id: string | undefined) =>
    id === owner.user.id ? 'first' : id === keeper.user.id ? 'second' : 'nobody'
  return { owner: nameOf(row?.ownerId), keepers: kept.map(nameOf) }
}

const FIRST = { owner: 'first', keepers: ['second'] }
const SECOND = { owner: 'second', keepers: ['first'] }

test('the owner changes only from whoever it is', { tags: ['one-owner'] }, async () => {
  const stage = await handingOver()
  const { owner, keeper, memorial } = stage
  const change = { memorialId: memorial.id, from: keeper.user.id, to: owner.user.id, mayExport: true }
  const { statements } = changeOwner(testCtx(), { ...change, takeBackUntil: null }, sql`true`)
  const [, changed] = await testCtx().db.batch([...statements])
  expect([changed, await ownership(stage)]).toEqual([[], FIRST])
})

test('of five devices that accept at once, one does, and each is mailed once', async () => {
  const stage = await handingOver()
  await stage.offer()
  const answers = await atOnce(5, () => stage.accept())
  expect(statusesOf(answers)).toEqual([204, 404, 404, 404, 404])
  expect(await ownership(stage)).toEqual(SECOND)
  const [{ id } = { id: '' }] = await rowsOf(handovers, { memorialId: stage.memorial.id })
  const sent = (await rowsOf(mails, { subjectId: id })).map(({ kind }) => kind)
  expect(sent.toSorted((a, b) => a.localeCompare(b))).toEqual([
    'handed-over',
    'handover-accepted',
    'handover-offer',
  ])
  const back = await atOnce(5, () => stage.takeBack())
  expect(back.filter(({ status }) => status === 204)).toHaveLength(1)
  expect(await ownership(stage)).toEqual(FIRST)
  expect(await rowsOf(mails, { subjectId: id, kind: 'handover-taken-back' })).toHaveLength(2)
})

test('accepting and withdrawing at once: one of them happens', async () => {
  for (const first of ['accept', 'withdraw']) {
    const stage = await handingOver()
    await stage.offer()
    const withdraw = () => stage.owner.delete(`${stage.path}/handover`)
    const [one, two] = await Promise.all(
      first === 'accept' ? [stage.accept(), withdraw()] : [withdraw(), stage.accept()],
    )
    const [accepted, withdrawn] = first === 'accept' ? [one, two] : [two, one]
    expect([accepted.status === 204, withdrawn.status === 204].filter(Boolean)).toHaveLength(1)
    expect(await ownership(stage)).toEqual(accepted.status === 204 ? SECOND : FIRST)
  }
})

/** What changes between reading the offer and accepting it. */
const MEANWHILE: [string, (stage: Stage) => Promise<unknown>, object][] = [
  ['withdraws the offer', ({ owner, path }) => owner.delete(`${path}/handover`), FIRST],
  [
    'removes the keeper',
    async ({ owner, path, memorial }) =>
      owner.delete(`${path}/keepers/${await keeperIdOf(owner, memorial.id)}`),
    { owner: 'first', keepers: [] },
  ],
  [
    'makes the keeper a helper',
    async ({ owner, path, memorial }) =>
      owner.put(`${path}/keepers/${await keeperIdOf(owner, memorial.id)}`, { role: 'HELPER' }),
    FIRST,
  ],
  ['deletes the memorial', ({ owner, path }) => owner.delete(path, { confirmName: 'Sekai Ndlovu' }), FIRST],
  [
    'deletes the account',
    ({ owner, memorial }) =>
      owner.delete('/api/account', {
        password: PASSWORD,
        memorials: [{ memorialId: memorial.id, keeperId: null }],
      }),
    FIRST,
  ],
]

test.each(MEANWHILE)('nobody accepts if the owner %s just before', async (_, action, expected) => {
  const stage = await handingOver()
  await stage.offer()
  stage.keeper.bindings = meanwhileEnv(() => action(stage))
  expect((await stage.accept()).status).toBe(404)
  expect(await ownership(stage)).toEqual(expected)
})

test(
  'who deletes their account at once with accepting or taking back owns nothing',
  { tags: ['deleted-account-owns-nothing'] },
  async () => {
    const stage = await handingOver()
    /** On another tab of the same browser. */
    const leave = (client: Client) =>
      Object.assign(new Client(), { cookies: client.cookies }).delete('/api/account', { password: PASSWORD })
    await stage.offer()
    stage.keeper.bindings = meanwhileEnv(() => leave(stage.keeper))
    expect((await stage.accept()).status).toBe(404)
    expect(await ownership(stage)).toEqual(FIRST)
    const next = await handingOver()
    await next.handOver()
    next.owner.bindings = meanwhileEnv(() => leave(next.owner))
    expect((await next.takeBack()).status).toBe(404)
    expect(await ownership(next)).toEqual(SECOND)
    expect((await rowsOf(users, { id: next.owner.user.id }))[0]?.deletedAt).toEqual(expect.any(Number))
  },
)

test(
  'a deletion that began before somebody else accepted deletes nothing',
  { tags: ['only-owner-deletes'] },
  async () => {
    const stage = await handingOver()
    await stage.offer()
    stage.owner.bindings = meanwhileEnv(() => stage.accept())
    const { status } = await stage.owner.delete(stage.path, { confirmName: 'Sekai Ndlovu' })
    expect(status).toBe(409)
    expect((await rowsOf(memorials, { id: stage.memorial.id }))[0]?.status).toBe('ACTIVE')
    expect(await ownership(stage)).toEqual(SECOND)
  },
)

test('taking back and handing over again at once leaves the former owner', async () => {
  const stage = await handingOver()
  await stage.handOver()
  const [back, again] = await Promise.all([stage.takeBack(), stage.offer(stage.keeper)])
  expect([back.status, again.status]).toEqual([204, expect.any(Number)])
  expect(again.status).not.toBe(204)
  expect(await ownership(stage)).toEqual(FIRST)
  expect(await rowsOf(handovers, { memorialId: stage.memorial.id })).toHaveLength(1)
})

test('of five offers at once one is open, and the keeper gets one mail', async () => {
  const stage = await handingOver()
  const answers = await atOnce(5, () => stage.offer())
  expect(statusesOf(answers)).toEqual([204, 409, 409, 409, 409])
  expect(await rowsOf(handovers, { memorialId: stage.memorial.id })).toHaveLength(1)
  expect(await rowsOf(mails, { recipient: stage.keeper.user.email, kind: 'handover-offer' })).toHaveLength(1)
})
