import { expect, test } from 'vitest'
import { DAY_MS } from '#shared/limits.ts'
import { successorMessages } from '#shared/keepers/successor-messages.ts'
import { createSession } from '#worker/access/sessions.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { familyActions } from '#worker/schema/family-actions.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { successors } from '#worker/schema/successors.table.ts'
import { newEmail } from '../../../../test/worker/accounts.ts'
import { askWorker, memorialOf, ORIGIN, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { keeperOf } from '../../../../test/worker/keepers.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'
import {
  namedFor,
  openFor,
  passDays,
  runAfter,
  signInAgain,
  successionOf,
} from '../../../../test/worker/successors.ts'

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT/u)
const kindsOf = async (subjectId: string) =>
  (await rowsOf(mails, { subjectId })).map(({ kind }) => kind).toSorted()
const logOf = async (memorialId: string) =>
  (await rowsOf(familyActions, { memorialId }))
    .toSorted((a, b) => a.createdAt - b.createdAt)
    .map(({ action }) => action)
    .filter((action) => action !== 'change_privacy')

test(
  'an owner names two people, and tells them only on request',
  { tags: ['only-paid-names-successors', 'removes-own-successors', 'keepers-see-no-successors'] },
  async () => {
    const { owner, memorial, path } = await memorialOf({ name: 'Sekai Ndlovu' })
    const list = `${path}/successors`
    expect((await owner.put(list, { afterMonths: 6 })).status).toBe(404)
    const [first, second] = [newEmail(), newEmail()]
    const named = await owner.post(list, { name: 'Tariro Moyo', email: first.toUpperCase(), tell: true })
    const tariro = {
      id: expect.stringMatching(/^suc_/u),
      name: 'Tariro Moyo',
      email: first,
      createdAt: INSTANT,
    }
    expect([named.status, named.body]).toEqual([201, { afterMonths: 12, successors: [tariro] }])
    const again = await owner.post(list, { name: 'Tariro', email: first })
    expect([again.status, again.body.fields]).toEqual([409, { email: successorMessages.alreadyNamed }])
    const own = await owner.post(list, { name: 'Me', email: owner.user.email })
    expect([own.status, own.body.fields]).toEqual([409, { email: successorMessages.isOwner }])
    expect((await owner.post(list, { name: 'Farai', email: second })).status).toBe(201)
    const third = await owner.post(list, { name: 'Chipo', email: newEmail() })
    expect([third.status, third.body.message]).toEqual([409, successorMessages.tooMany])
    expect((await owner.put(list, { afterMonths: 6 })).body.afterMonths).toBe(6)
    const [mail] = await mailboxOf(first, 1)
    expect(mail?.subject).toBe('You were named for a memorial')
    expect(mail?.text).toContain(`/memorial/${memorial.id}/successor`)
    expect(await rowsOf(mails, { recipient: second })).toEqual([])
    const keeper = await keeperOf(owner, memorial.id, 'KEEPER')
    expect((await keeper.get(list)).status).toBe(403)
    const draft = await draftOf(owner)
    const refused = await owner.post(`/api/memorials/${draft}/successors`, {
      name: 'Chipo',
      email: newEmail(),
    })
    expect(refused.status).toBe(402)
    const other = await memorialOf()
    const [one, two] = named.body.successors.concat((await owner.get(list)).body.successors[1])
    expect((await other.owner.delete(`${other.path}/successors/${one.id}`)).status).toBe(404)
    expect((await owner.delete(`${list}/${one.id}`)).status).toBe(204)
    expect((await owner.get(list)).body.successors).toMatchObject([{ name: 'Farai' }])
    await owner.delete(`${list}/${two.id}`)
    expect(await successionOf(memorial.id)).toBeUndefined()
  },
)

test(
  'an owner unseen for a year gets three mails in 30 days, then each successor one',
  { tags: ['succession-step-once'] },
  async () => {
    const { owner, memorial, people } = await namedFor(2)
    const story = [
      [364, []],
      [2, ['still-there']],
      [13, ['still-there']],
      [1, ['still-there', 'still-there']],
      [13, ['still-there', 'still-there', 'still-there']],
      [2, ['still-there', 'still-there', 'still-there']],
      [1, ['memorial-open', 'memorial-open', 'still-there', 'still-there', 'still-there']],
      [300, ['memorial-open', 'memorial-open', 'still-there', 'still-there', 'still-there']],
    ] as const
    for (const [days, kinds] of story) {
      await runAfter(memorial.id, days)
      expect([days, await kindsOf(memorial.id)]).toEqual([days, kinds])
    }
    const [mail] = await mailboxOf(people[0]?.user.email ?? '', 1)
    expect(mail?.text).toContain('They named two of you.')
    expect(await logOf(memorial.id)).toEqual([
      'name_successor',
      'ask_owner',
      'ask_owner',
      'ask_owner',
      'open_succession',
    ])
    const { body } = await owner.get(`/api/memorials/${memorial.id}/family-actions`)
    expect(body.entries[0]).toMatchObject({ name: null, action: 'open_succession' })
  },
)

test('the mails say what happens when, and who has asked', async () => {
  const { owner, memorial } = await namedFor()
  await runAfter(memorial.id, 366)
  const [mail] = await mailboxOf(owner.user.email, 1)
  expect(mail?.subject).toBe('Are you still there?')
  const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
  const { askingSince } = (await successionOf(memorial.id))!
  expect(mail?.text).toContain('we haven’t seen you for 12 months')
  expect(mail?.text).toContain(
    `Tariro 1 can take over the memorial after ${date.format(askingSince! + 30 * DAY_MS)}`,
  )
})

test(
  'signing in, or using a session, stops the asking and begins the time again',
  { tags: ['owner-seen-keeps'] },
  async () => {
    const { owner, memorial, people, successions } = await openFor()
    const [person] = people
    expect((await person!.get(successions)).body.memorial).toMatchObject({ honoureeFullName: 'Sekai Ndlovu' })
    await signInAgain(owner)
    expect((await person!.get(successions)).body).toEqual({ memorial: null })
    expect((await person!.post(`${successions}/claim`)).status).toBe(404)
    await runAfter(memorial.id, 0)
    expect(await successionOf(memorial.id)).toMatchObject({
      askingSince: null,
      openSince: null,
      mailsSent: 0,
    })
    expect((await logOf(memorial.id)).at(-1)).toBe('owner_is_there')
    await runAfter(memorial.id, 364)
    expect(await kindsOf(memorial.id)).toHaveLength(4)
    // A session that was begun two days ago is used.
    const headers = new Headers()
    const at = Date.now() - 2 * DAY_MS
    await createSession(
      testCtx(() => at),
      new Request(ORIGIN),
      headers,
      { id: owner.user.id, sessionEpoch: 0 },
    )
    await askWorker(`${ORIGIN}/api/dashboard`, {
      headers: {
        Cookie: headers
          .getSetCookie()
          .map((one) => one.split(';')[0])
          .join('; '),
      },
    })
    await passDays(memorial.id, 10)
    await runAfter(memorial.id, 0)
    expect(await kindsOf(memorial.id)).toHaveLength(4)
    const [row] = await rowsOf(users, { id: owner.user.id })
    expect(row!.seenAt! - (Date.now() - 10 * DAY_MS)).toBeLessThan(60_000)
  },
)

test(
  'one press in a mail stops it, for the right address only',
  { tags: ['still-here-needs-token'] },
  async () => {
    const { owner, memorial } = await namedFor()
    await runAfter(memorial.id, 366)
    const [mail] = await mailboxOf(owner.user.email, 1)
    const path = /\/still-here\/\S+/u.exec(mail?.text ?? '')?.[0] ?? ''
    const press = async (to: string, method: 'GET' | 'POST') => askWorker(`${ORIGIN}${to}`, { method })
    expect((await press(path, 'GET')).status).toBe(200)
    const wrong = await press(`/still-here/${memorial.id}.${'a'.repeat(43)}`, 'POST')
    expect((await successionOf(memorial.id))?.mailsSent).toBe(1)
    const right = await press(path, 'POST')
    expect([wrong.status, right.status]).toEqual([200, 200])
    expect(await successionOf(memorial.id)).toMatchObject({ askingSince: null, mailsSent: 0 })
    expect((await logOf(memorial.id)).at(-1)).toBe('owner_is_there')
  },
)

test(
  'nothing goes on while the memorial is deleted or unpaid, or its owner suspended',
  { tags: ['suspended-owner-loses-nothing', 'succession-needs-payment'] },
  async () => {
    const made = await openFor()
    const { memorial, owner, people, successions } = made
    const claimable = async () => (await people[0]!.get(successions)).body.memorial !== null
    expect(await claimable()).toBe(true)
    await changeRows(users, { id: owner.user.id }, { suspendedAt: Date.now() })
    expect(await claimable()).toBe(false)
    await changeRows(users, { id: owner.user.id }, { suspendedAt: null })
    await changeRows(memorials, { id: memorial.id }, { status: 'REMOVED' })
    expect(await claimable()).toBe(false)
    await changeRows(memorials, { id: memorial.id }, { status: 'ACTIVE' })
    await changeRows(payments, { memorialId: memorial.id }, { memorialId: null })
    expect(await claimable()).toBe(false)
  },
)

test('somebody who was named by another address, or not at all, sees nothing of it', async () => {
  const { successions, memorial } = await openFor()
  const stranger = await signedIn()
  expect((await stranger.get(successions)).body).toEqual({ memorial: null })
  expect((await stranger.get('/api/successions/mem_none')).body).toEqual({ memorial: null })
  const asked = await stranger.post(`${successions}/ask`)
  const none = await stranger.post('/api/successions/mem_none/ask')
  expect([asked.status, asked.body]).toEqual([none.status, none.body])
  expect((await stranger.post(`${successions}/claim`)).status).toBe(404)
  expect(await rowsOf(successors, { memorialId: memorial.id })).toHaveLength(1)
})
