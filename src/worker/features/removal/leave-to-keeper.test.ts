import { expect, test } from 'vitest'
import { handoverRefusals } from '#shared/keepers/handover-refusals.ts'
import { leavingMessages } from '#shared/keepers/leaving-messages.ts'
import { DAY_MS } from '#shared/limits.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { handovers } from '#worker/schema/keepers.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { PASSWORD } from '../../../../test/worker/accounts.ts'
import { meanwhileEnv } from '../../../../test/worker/faults/faults.ts'
import { Client, memorialOf, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import {
  acceptKeeping,
  handingOver,
  keeperIdOf,
  keeperOf,
  keeperToken,
} from '../../../../test/worker/keepers.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'

type Choice = { memorialId: string; keeperId: string | null }

const leave = (client: Client, ...choices: Choice[]) =>
  client.delete('/api/account', { password: PASSWORD, memorials: choices })

async function stateOf(memorialId: string) {
  const [row] = await rowsOf(memorials, { id: memorialId })
  return [row?.status, row?.ownerId]
}

const isGone = async (userId: string) => (await rowsOf(users, { id: userId }))[0]?.deletedAt !== null

/** A tab of the same browser, which no test has changed. */
const otherTab = ({ cookies }: Client) => Object.assign(new Client(), { cookies })

test(
  'nobody deletes an account before saying what becomes of memorials with keepers',
  { tags: ['keepers-ask-for-a-choice'] },
  async () => {
    const { owner, memorial } = await handingOver()
    const helped = await memorialOf({ owner })
    const helper = await keeperOf(owner, helped.memorial.id, 'HELPER')
    const draft = await draftOf(owner)
    await keeperOf(owner, draft, 'KEEPER')
    const helperId = await keeperIdOf(owner, helped.memorial.id, helper.user.email)
    const of = memorial.id
    for (const [choices, message] of [
      [[], leavingMessages.chooseFirst],
      [[{ memorialId: helped.memorial.id, keeperId: null }], leavingMessages.chooseFirst],
      [[{ memorialId: of, keeperId: 'con_none' }], leavingMessages.choiceGone],
      [
        [
          { memorialId: of, keeperId: null },
          { memorialId: helped.memorial.id, keeperId: helperId },
        ],
        leavingMessages.choiceGone,
      ],
    ] as const) {
      const { status, body } = await leave(owner, ...choices)
      expect([status, body.code, body.message]).toEqual([409, 'conflict', message])
    }
    expect(await isGone(owner.user.id)).toBe(false)
    expect((await leave(owner, { memorialId: of, keeperId: null })).status).toBe(200)
    expect([(await stateOf(of))[0], (await stateOf(helped.memorial.id))[0]]).toEqual(['DELETED', 'DELETED'])
  },
)

test('a keeper gets the memorial and a mail at once; an owner who returns is a keeper', async () => {
  const { owner, keeper, memorial, path } = await handingOver('LOCKED')
  await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
  await owner.post(`${path}/comments`, { body: 'Mother' })
  const other = await memorialOf({ owner })
  const keeperId = await keeperIdOf(owner, memorial.id)
  expect((await leave(owner, { memorialId: memorial.id, keeperId })).status).toBe(200)
  expect(await stateOf(memorial.id)).toEqual(['ACTIVE', keeper.user.id])
  expect(await stateOf(other.memorial.id)).toEqual(['DELETED', owner.user.id])
  const [mail] = await mailboxOf(keeper.user.email, 1)
  expect([mail?.subject, mail?.text]).toEqual([
    'A memorial is yours now',
    expect.stringContaining('has deleted their account, and left the memorial of Sekai Ndlovu to you'),
  ])
  const log = (await keeper.get(`${path}/family-actions`)).body.entries
  expect(log).toContainEqual(expect.objectContaining({ action: 'leave_to_keeper' }))
  const { email } = owner.user
  const back = new Client()
  expect((await back.post('/api/auth/login', { email, password: PASSWORD })).status).toBe(200)
  expect((await back.get('/api/dashboard')).body).toMatchObject({
    memorials: [{ id: other.memorial.id }],
    kept: [{ id: memorial.id, role: 'KEEPER' }],
  })
  expect((await back.post(`${path}/handover/take-back`)).status).toBe(404)
  expect((await keeper.delete(path, { confirmName: 'Sekai Ndlovu' })).status).toBe(200)
})

test('once the account is gone for good, the memorial stays with what its owner added', async () => {
  const { owner, keeper, memorial, path } = await handingOver()
  await owner.post(`${path}/comments`, { body: 'Mother' })
  const keeperId = await keeperIdOf(owner, memorial.id)
  await leave(owner, { memorialId: memorial.id, keeperId })
  await changeRows(users, { id: owner.user.id }, { deletedAt: Date.now() - 31 * DAY_MS })
  await purgeDeleted(testCtx())
  expect((await keeper.get(`${path}/comments`)).body.comments).toMatchObject([
    { body: 'Mother', authorName: 'Rudo Moyo', isOwner: false },
  ])
  expect((await keeper.get(`${path}/keepers`)).body.keepers).toEqual([])
  expect(await rowsOf(payments, { memorialId: memorial.id })).toMatchObject([{ userId: owner.user.id }])
  expect(await rowsOf(handovers, { memorialId: memorial.id })).toMatchObject([{ toUserId: keeper.user.id }])
})

test('a former owner whose account is gone for good holds nothing back any more', async () => {
  const { owner, keeper, memorial, path, handOver } = await handingOver()
  await handOver()
  const later = { takeBackUntil: Date.now() + 90 * DAY_MS }
  await changeRows(handovers, { memorialId: memorial.id }, later)
  await changeRows(memorials, { id: memorial.id }, later)
  await leave(owner)
  expect((await keeper.delete(path, { confirmName: 'Sekai Ndlovu' })).status).toBe(409)
  await changeRows(users, { id: owner.user.id }, { deletedAt: Date.now() - 31 * DAY_MS })
  await purgeDeleted(testCtx())
  expect((await keeper.delete(path, { confirmName: 'Sekai Ndlovu' })).status).toBe(200)
})

test(
  'nothing is deleted if who keeps a memorial changes just before',
  { tags: ['choice-still-complete', 'heirs-still-there'] },
  async () => {
    type Stage = Awaited<ReturnType<typeof handingOver>> & { keeperId: string; token: string }
    const toKeeper = ({ memorial, keeperId }: Stage) => ({ memorialId: memorial.id, keeperId })
    const leaves = ({ keeper, path, keeperId }: Stage) => keeper.delete(`${path}/keepers/${keeperId}`)
    const cases: [string, (stage: Stage) => Promise<unknown>, (stage: Stage) => Choice[]][] = [
      ['stops keeping', leaves, (stage) => [toKeeper(stage)]],
      ['deletes their account', ({ keeper }) => leave(keeper), (stage) => [toKeeper(stage)]],
      [
        'takes the memorial over',
        async ({ offer, accept }) => [await offer(), await accept()],
        (stage) => [toKeeper(stage)],
      ],
    ]
    for (const [what, action, choices] of cases) {
      const made = await handingOver()
      const stage = { ...made, keeperId: await keeperIdOf(made.owner, made.memorial.id), token: '' }
      const tab = otherTab(stage.owner)
      tab.bindings = meanwhileEnv(() => action(stage))
      const { status, body } = await leave(tab, ...choices(stage))
      expect([what, status, body.message]).toEqual([what, 409, leavingMessages.choiceGone])
      expect([what, (await stateOf(stage.memorial.id))[0]]).toEqual([what, 'ACTIVE'])
      expect([what, await isGone(stage.owner.user.id)]).toEqual([what, false])
    }
    const { owner, memorial } = await memorialOf()
    const stage = await handingOver()
    await changeRows(memorials, { id: memorial.id }, { ownerId: stage.owner.user.id })
    await changeRows(payments, { memorialId: memorial.id }, { userId: stage.owner.user.id })
    const token = await keeperToken(stage.owner, memorial.id, { role: 'KEEPER' })
    const tab = otherTab(stage.owner)
    tab.bindings = meanwhileEnv(() => acceptKeeping(owner, token))
    const answer = await leave(tab, { memorialId: stage.memorial.id, keeperId: null })
    expect([answer.status, (await stateOf(memorial.id))[0]]).toEqual([409, 'ACTIVE'])
  },
)

test(
  'an account that takes a memorial over just before it is deleted stays',
  { tags: ['account-keeps-what-can-be-taken-back'] },
  async () => {
    const { keeper, memorial, offer, accept } = await handingOver()
    await offer()
    const tab = otherTab(keeper)
    tab.bindings = meanwhileEnv(() => accept())
    const { status, body } = await leave(tab, { memorialId: memorial.id, keeperId: null })
    expect([status, body.message]).toEqual([409, handoverRefusals.accountLater])
    expect(await stateOf(memorial.id)).toEqual(['ACTIVE', keeper.user.id])
    expect(await isGone(keeper.user.id)).toBe(false)
  },
)

test('two memorials go to two keepers together, and a stranger’s id gives nothing away', async () => {
  const { owner, keeper, memorial } = await handingOver()
  const second = await memorialOf({ owner })
  const other = await keeperOf(owner, second.memorial.id, 'KEEPER')
  const strangers = await memorialOf({ owner: await signedIn() })
  const keeperId = await keeperIdOf(owner, memorial.id)
  const otherId = await keeperIdOf(owner, second.memorial.id)
  const swapped = [
    { memorialId: memorial.id, keeperId: otherId },
    { memorialId: second.memorial.id, keeperId },
  ]
  expect((await leave(owner, ...swapped)).body.message).toBe(leavingMessages.choiceGone)
  const answer = await leave(
    owner,
    { memorialId: memorial.id, keeperId },
    { memorialId: second.memorial.id, keeperId: otherId },
    { memorialId: strangers.memorial.id, keeperId: null },
  )
  expect(answer.status).toBe(200)
  expect(await stateOf(memorial.id)).toEqual(['ACTIVE', keeper.user.id])
  expect(await stateOf(second.memorial.id)).toEqual(['ACTIVE', other.user.id])
  expect(await stateOf(strangers.memorial.id)).toEqual(['ACTIVE', strangers.owner.user.id])
})
