import { expect, test } from 'vitest'
import { CLAIM_UNDONE_MS, DAY_MS } from '#shared/limits.ts'
import { claimMessages } from '#shared/keepers/claim-messages.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { familyActions } from '#worker/schema/family-actions.table.ts'
import { handovers, keepers } from '#worker/schema/keepers.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import { successors } from '#worker/schema/successors.table.ts'
import { newEmail } from '../../../../test/worker/accounts.ts'
import { signedIn, testCtx, type Client } from '../../../../test/worker/harness.ts'
import { keeperOf } from '../../../../test/worker/keepers.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { atOnce, statusesOf } from '../../../../test/worker/repeat.ts'
import { auditOf, changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import {
  leaveUnanswered,
  namedFor,
  openFor,
  runAfter,
  signInAgain,
  successionOf,
} from '../../../../test/worker/successors.ts'

const ownerOf = async (id: string) => (await rowsOf(memorials, { id }))[0]?.ownerId
const logOf = async (memorialId: string) =>
  (await rowsOf(familyActions, { memorialId })).map(({ action }) => action)

test(
  'the first successor becomes the owner; the former owner, a keeper, takes it back',
  { tags: ['successor-is-user', 'successor-confirmed'] },
  async () => {
    const made = await namedFor()
    const { owner, memorial, path, people } = made
    const [person] = people
    const keeper = await keeperOf(owner, memorial.id, 'HELPER')
    await owner.post(`${path}/comments`, { body: 'I held her hand.' })
    expect((await person!.post(`${made.successions}/claim`)).status).toBe(404)
    await leaveUnanswered(memorial.id)
    const stranger = await signedIn()
    const early = await stranger.post(`${made.successions}/claim`)
    expect([early.status, early.body.message]).toEqual([404, claimMessages.notOpen])
    await changeRows(users, { id: person!.user.id }, { emailVerifiedAt: null })
    expect((await person!.post(`${made.successions}/claim`)).status).toBe(404)
    await changeRows(users, { id: person!.user.id }, { emailVerifiedAt: 1 })

    const claimed = await person!.post(`${made.successions}/claim`)
    expect([claimed.status, claimed.body]).toEqual([200, { memorialId: memorial.id }])
    expect(await ownerOf(memorial.id)).toBe(person!.user.id)
    expect((await person!.get(path)).body.viewer.role).toBe('OWNER')
    expect((await owner.get(path)).body.viewer.role).toBe('KEEPER')
    expect((await keeper.get(path)).body.viewer.role).toBe('HELPER')
    expect((await owner.get(`${path}/comments`)).body.comments).toMatchObject([
      { authorName: `${owner.user.firstName} ${owner.user.lastName}`, isOwner: false },
    ])
    const told = await mailboxOf(keeper.user.email, 1)
    expect(told[0]?.text).toContain('has taken over the memorial of Sekai Ndlovu')
    const toOwner = await mailboxOf(owner.user.email, 4)
    expect(toOwner.map(({ subject }) => subject)).toContain('Your memorial has a new owner')
    expect(await logOf(memorial.id)).toContain('claim_memorial')
    expect(await successionOf(memorial.id)).toBeUndefined()
    expect(await rowsOf(successors, { memorialId: memorial.id })).toEqual([])

    expect((await person!.delete(path, { confirmName: 'Sekai Ndlovu' })).status).toBe(409)
    const [former] = await rowsOf(keepers, { memorialId: memorial.id, userId: owner.user.id })
    expect((await person!.delete(`${path}/keepers/${former?.contributorId}`)).status).toBe(409)
    expect((await owner.get('/api/dashboard')).body.kept).toMatchObject([
      { id: memorial.id, takeBack: { owner: 'Rudo Moyo', until: expect.stringMatching(/T/u) } },
    ])
    expect((await person!.post(`${path}/handover/take-back`)).status).toBe(404)
    expect((await owner.post(`${path}/handover/take-back`)).status).toBe(204)
    expect(await ownerOf(memorial.id)).toBe(owner.user.id)
    expect((await person!.get(path)).status).toBe(403)
    expect((await owner.get(`${path}/comments`)).body.comments).toMatchObject([{ isOwner: true }])
  },
)

test('after 90 days nobody takes it back any more', async () => {
  const { owner, memorial, path, people, successions } = await openFor()
  await people[0]!.post(`${successions}/claim`)
  const [handover] = await rowsOf(handovers, { memorialId: memorial.id })
  expect(Math.abs(handover!.takeBackUntil! - Date.now() - CLAIM_UNDONE_MS)).toBeLessThan(60_000)
  const over = { takeBackUntil: Date.now() - DAY_MS }
  await changeRows(handovers, { memorialId: memorial.id }, over)
  await changeRows(memorials, { id: memorial.id }, over)
  expect((await owner.post(`${path}/handover/take-back`)).status).toBe(404)
  expect((await people[0]!.delete(path, { confirmName: 'Sekai Ndlovu' })).status).toBe(200)
})

test(
  'while the owner before can take it back, nobody else can claim it',
  { tags: ['no-claim-while-taken-back'] },
  async () => {
    const { owner, memorial, path, people, successions } = await openFor()
    const [first] = people
    await first!.post(`${successions}/claim`)
    const second = await signedIn({ email: newEmail() })
    const named = await first!.post(`${path}/successors`, { name: 'Chipo', email: second.user.email })
    expect(named.status).toBe(201)
    await second.post(`${successions}/ask`)
    await leaveUnanswered(memorial.id)
    expect(await successionOf(memorial.id)).toMatchObject({ mailsSent: 0, askingSince: null })
    expect((await second.post(`${successions}/claim`)).status).toBe(404)
    expect((await owner.post(`${path}/handover/take-back`)).status).toBe(204)
    expect(await ownerOf(memorial.id)).toBe(owner.user.id)
  },
)

test(
  'a memorial taken back holds the new owner’s removals and declines for 30 days',
  { tags: ['removed-kept-for-former-owner', 'declined-kept-for-former-owner'] },
  async () => {
    const { owner, memorial, path, people, successions } = await openFor()
    const [person] = people
    const helper = await keeperOf(owner, memorial.id, 'HELPER')
    const post = async (client: Client, body: string): Promise<string> =>
      (await client.post(`${path}/comments`, { body })).body.comment.id
    const removed = await post(owner, 'I held her hand.')
    const declined = await post(helper, 'She sang.')
    const own = await post(helper, 'A mistake')
    await person!.post(`${successions}/claim`)
    expect((await person!.delete(`/api/comments/${removed}`)).status).toBe(204)
    expect((await helper.delete(`/api/comments/${own}`)).status).toBe(204)
    const long = Date.now() - 40 * DAY_MS
    await changeRows(handovers, { memorialId: memorial.id }, { acceptedAt: long })
    await changeRows(removedItems, { memorialId: memorial.id }, { removedAt: long })
    await changeRows(comments, { id: declined }, { isHeld: true, heldAs: 'DECLINED', decidedAt: long })
    const left = async () => (await rowsOf(removedItems, { memorialId: memorial.id })).map(({ id }) => id)
    await purgeDeleted(testCtx())
    expect(await left(), 'not what they removed of their own').toEqual([removed])
    expect(await rowsOf(comments, { id: declined })).toHaveLength(1)
    expect((await owner.post(`${path}/handover/take-back`)).status).toBe(204)
    await purgeDeleted(testCtx())
    expect((await owner.post(`/api/comments/${removed}/restore`)).status).toBe(200)
    expect((await owner.post(`${path}/held/undo`, { ids: [declined] })).body).toEqual({ undone: 1 })
  },
)

test('of two successors who claim at once, one becomes the owner', async () => {
  const { memorial, people, successions } = await openFor(2)
  const answers = await atOnce(6, (n) => people[n % 2]!.post(`${successions}/claim`))
  expect(statusesOf(answers)).toEqual([200, 404, 404, 404, 404, 404])
  expect(await rowsOf(handovers, { memorialId: memorial.id })).toHaveLength(1)
})

test('an owner who signs in while a successor claims keeps it, or can take it back', async () => {
  for (let n = 0; n < 6; n++) {
    const { owner, memorial, path, people, successions } = await openFor()
    const signsIn = async () => {
      // Before, during and after the claim.
      await new Promise((resolve) => setTimeout(resolve, 4 * n))
      await signInAgain(owner)
    }
    const [claimed] = await Promise.all([people[0]!.post(`${successions}/claim`), signsIn()])
    const isClaimed = claimed.status === 200
    expect(await ownerOf(memorial.id)).toBe(isClaimed ? people[0]!.user.id : owner.user.id)
    const taken = await owner.post(`${path}/handover/take-back`)
    expect([isClaimed, taken.status]).toEqual([isClaimed, isClaimed ? 204 : 404])
    expect(await ownerOf(memorial.id)).toBe(owner.user.id)
  }
})

test('somebody whom the owner removes while they claim is the owner, or nobody', async () => {
  for (let n = 0; n < 4; n++) {
    const { owner, memorial, path, people, successions } = await openFor()
    const [row] = await rowsOf(successors, { memorialId: memorial.id })
    const [claimed, removed] = await Promise.all([
      people[0]!.post(`${successions}/claim`),
      owner.delete(`${path}/successors/${row?.id}`),
    ])
    const isClaimed = claimed.status === 200
    expect(await ownerOf(memorial.id)).toBe(isClaimed ? people[0]!.user.id : owner.user.id)
    if (!isClaimed) expect(removed.status).toBe(204)
    expect(await rowsOf(successors, { memorialId: memorial.id })).toEqual([])
  }
})

test(
  'if a successor asks, the owner has 30 days to answer, and all keepers are told',
  { tags: ['only-named-ask', 'asked-for-once'] },
  async () => {
    const { owner, memorial, people, successions } = await namedFor(2)
    const keeper = await keeperOf(owner, memorial.id, 'KEEPER')
    const stranger = await signedIn()
    await stranger.post(`${successions}/ask`)
    await runAfter(memorial.id, 0)
    expect(await successionOf(memorial.id)).toMatchObject({ mailsSent: 0, askingSince: null })
    await atOnce(3, (n) => people[n % 2]!.post(`${successions}/ask`))
    const [toKeeper] = await mailboxOf(keeper.user.email, 1)
    expect(toKeeper?.text).toMatch(/Tariro [12] has asked to take over the memorial of Sekai Ndlovu/u)
    const [toOwner] = await mailboxOf(owner.user.email, 1)
    expect(toOwner?.text).toMatch(/Tariro [12], whom you named for it, has asked/u)
    expect(await rowsOf(mails, { subjectId: memorial.id })).toHaveLength(2)
    for (const days of [14, 13]) await runAfter(memorial.id, days)
    expect((await people[0]!.post(`${successions}/claim`)).status).toBe(404)
    await runAfter(memorial.id, 3)
    expect((await people[0]!.post(`${successions}/claim`)).status).toBe(200)
    const log = await logOf(memorial.id)
    expect(log.filter((action) => action === 'ask_for_memorial')).toHaveLength(1)
  },
)

test('an owner who is there ends what a successor asked for', { tags: ['owner-seen-stops'] }, async () => {
  const { owner, memorial, people, successions } = await namedFor()
  await people[0]!.post(`${successions}/ask`)
  await mailboxOf(owner.user.email, 1)
  await signInAgain(owner)
  await runAfter(memorial.id, 20)
  await runAfter(memorial.id, 300)
  expect(await rowsOf(mails, { subjectId: memorial.id, kind: 'still-there' })).toHaveLength(1)
  expect((await people[0]!.post(`${successions}/claim`)).status).toBe(404)
})

test(
  'a case that an admin holds isn’t claimed and sends no mail, and its clock stops',
  { tags: ['held-case-not-claimed', 'held-case-stands-still'] },
  async () => {
    const admin = await signedIn({ admin: true })
    const { owner, memorial, people, successions } = await namedFor()
    const act = async (what: 'hold' | 'release') =>
      (await admin.post(`/api/admin/successions/${memorial.id}/${what}`)).status
    expect(await act('hold')).toBe(404)
    await runAfter(memorial.id, 366)
    expect([await act('hold'), await act('hold')]).toEqual([204, 404])
    await runAfter(memorial.id, 100)
    const sent = { subjectId: memorial.id, kind: 'still-there' } as const
    expect(await rowsOf(mails, sent)).toHaveLength(1)
    const { body } = await admin.get('/api/admin/successions')
    const instant = expect.stringMatching(/T/u)
    expect(body.cases.find((one: { memorial: { id: string } }) => one.memorial.id === memorial.id)).toEqual({
      memorial: { id: memorial.id, honoureeFullName: 'Sekai Ndlovu' },
      ownerEmail: owner.user.email,
      successors: [{ name: 'Tariro 1', email: people[0]!.user.email }],
      isAskedFor: false,
      askingSince: instant,
      mailsSent: 1,
      openSince: null,
      heldSince: instant,
    })
    expect(await act('release')).toBe(204)
    await runAfter(memorial.id, 13)
    expect(await rowsOf(mails, sent)).toHaveLength(1)
    for (const days of [1, 13, 3]) await runAfter(memorial.id, days)
    expect(await rowsOf(mails, sent)).toHaveLength(3)
    await act('hold')
    expect((await people[0]!.get(successions)).body).toEqual({ memorial: null })
    expect((await people[0]!.post(`${successions}/claim`)).status).toBe(404)
    await act('release')
    const [held, claimed] = await Promise.all([act('hold'), people[0]!.post(`${successions}/claim`)])
    expect([
      [204, 404],
      [404, 200],
    ]).toContainEqual([held, claimed.status])
    expect((await successionOf(memorial.id))?.heldSince ?? null).toEqual(
      claimed.status === 200 ? null : expect.any(Number),
    )
    const audited = await auditOf({ memorialId: memorial.id }, 'action')
    expect(audited.slice(0, 2).map(({ action }) => action)).toEqual(['hold_succession', 'release_succession'])
    expect(await logOf(memorial.id)).toContain('hold_succession')
  },
)
