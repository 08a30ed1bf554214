import { expect, test } from 'vitest'
import { LET_IN_KEPT_MS, LET_IN_WAITING_MAX, RATE_LIMITS } from '#shared/limits.ts'
import { letInMessages } from '#shared/invites/let-in-messages.ts'
import { letInRefusals } from '#shared/invites/let-in-refusals.ts'
import { deleteOldRecords } from '#worker/features/removal/retention.jobs.ts'
import { tellOwners } from '#worker/features/memorials/tell-owner.ts'
import { newId } from '#worker/platform/random.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { letInRequests } from '#worker/schema/let-in.table.ts'
import { newEmail } from '../../../../test/worker/accounts.ts'
import { Client, memorialOf, testCtx } from '../../../../test/worker/harness.ts'
import { keeperIdOf, keeperOf } from '../../../../test/worker/keepers.ts'
import { meanwhileEnv } from '../../../../test/worker/faults/faults.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { atOnce, inTurn, statusesOf } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'

type Asked = { id: string; name: string }

/** A memorial, and how somebody asks to be let in, who waits, and how the family decides. */
async function asked(privacy: 'PRIVATE' | 'INVITE' | 'LOCKED' = 'INVITE') {
  const made = await memorialOf({ privacy, name: 'Sekai Ndlovu' })
  const { owner, path } = made
  const requests = `${path}/let-in-requests`
  const ask = (email = newEmail(), client = new Client()) =>
    client.post(`/api/let-in-requests/${made.memorial.id}`, {
      name: 'Rudo Banda',
      relation: 'Her pupil',
      email,
    })
  const waiting = async (client: Client = owner): Promise<Asked[]> =>
    (await client.get(`${path}/held`)).body.asking
  const decide = async (decision: string, client: Client = owner) =>
    client.put(`${requests}/${(await waiting())[0]?.id}`, { decision })
  return { ...made, requests, ask, waiting, decide }
}

const linkIn = (text: string) => /\/let-in\/([\w-]+)/u.exec(text)?.[1] ?? ''

test(
  'somebody asks, is let in, and opens the memorial by a mailed link of their own',
  { tags: ['let-in-needs-live-link'] },
  async () => {
    const { owner, memorial, path, ask, waiting, decide } = await asked()
    const email = newEmail()
    expect([(await ask(email)).status, await waiting()]).toEqual([
      201,
      [
        {
          id: expect.stringMatching(/^lir_/u),
          name: 'Rudo Banda',
          relation: 'Her pupil',
          email,
          createdAt: expect.any(String),
        },
      ],
    ])
    expect([(await decide('LET_IN')).status, await waiting()]).toEqual([204, []])
    const [mail] = await mailboxOf(email, 1)
    expect(mail?.text).not.toContain('pupil')
    const open = (client: Client) => client.post(`/api/let-in/${linkIn(mail?.text ?? '')}`)
    const phone = new Client()
    const { status, body } = await open(phone)
    expect([status, body.displayName, body.memorialId]).toEqual([201, 'Rudo Banda', memorial.id])
    expect((await phone.post(`${path}/comments`, { body: 'She taught me to read.' })).status).toBe(201)
    const other = new Client()
    expect((await open(other)).body.contributorId).toBe(body.contributorId)
    expect([(await other.get(path)).status, (await phone.get(path)).status]).toEqual([200, 403])
    const links = (await owner.get(`${path}/invitations`)).body.invitations
    const link = links.find(({ name }: { name: string }) => name === letInRefusals.peopleLetIn)
    expect([link.people, link.inviteLink]).toEqual([1, null])
    await owner.delete(`${path}/invitations/${link.id}`)
    expect([(await other.get(path)).status, (await open(phone)).body.message]).toEqual([
      403,
      letInRefusals.over,
    ])
  },
)

test('“Not now” mails nobody, and the same address waits no second time', async () => {
  const { ask, waiting, decide } = await asked()
  const email = newEmail()
  await ask(email)
  expect((await decide('NOT_NOW')).status).toBe(204)
  expect([(await ask(email)).body, await waiting()]).toEqual([{ message: letInMessages.asked }, []])
  expect(await mailboxOf(email, 0)).toEqual([])
})

test(
  'every memorial answers the same, and only those that take requests store one',
  { tags: ['requests-need-paid-memorial', 'requests-need-setting'] },
  async () => {
    const open = await asked()
    const hidden = await asked('PRIVATE')
    const shown = await asked('LOCKED')
    const closed = await asked()
    await closed.owner.patch(closed.path, { mayAsk: 'NOBODY' })
    const asking = await asked('PRIVATE')
    await asking.owner.patch(asking.path, { mayAsk: 'ALSO_PRIVATE' })
    const draftId = await draftOf(open.owner)
    await open.owner.patch(`/api/memorials/${draftId}`, { mayAsk: 'ALSO_PRIVATE' })
    const ids = [...[open, hidden, shown, closed, asking].map(({ memorial }) => memorial.id), draftId]
    const answers = await inTurn(ids.length + 1, (n) =>
      new Client().post(`/api/let-in-requests/${ids[n] ?? 'mem_none'}`, {
        name: 'Rudo',
        relation: 'Her pupil',
        email: newEmail(),
      }),
    )
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [201, { message: letInMessages.asked }]),
    )
    const stored = await Promise.all(
      ids.map(async (memorialId) => (await rowsOf(letInRequests, { memorialId })).length),
    )
    expect(stored).toEqual([1, 0, 0, 0, 1, 0])
    const pages = await Promise.all(
      ids
        .slice(0, 5)
        .map(async (id) =>
          (await (await new Client().fetch(`/memorial/${id}`)).text()).includes(letInMessages.title),
        ),
    )
    expect(pages).toEqual([true, false, false, false, true])
  },
)

test('nobody is let in while the memorial is private', async () => {
  const { owner, path, ask, waiting, decide } = await asked('PRIVATE')
  await owner.patch(path, { mayAsk: 'ALSO_PRIVATE' })
  await ask()
  const { status, body } = await decide('LET_IN')
  expect([status, body.message, (await waiting()).length]).toEqual([409, letInRefusals.isPrivate, 1])
})

test('many decisions at once let one person in once', async () => {
  const { requests, owner, ask, waiting } = await asked()
  const email = newEmail()
  await ask(email)
  const [one] = await waiting()
  const answers = await atOnce(6, (n) =>
    owner.put(`${requests}/${one?.id}`, { decision: n % 2 === 0 ? 'LET_IN' : 'NOT_NOW' }),
  )
  expect(statusesOf(answers)).toEqual([204, 409, 409, 409, 409, 409])
  const [row] = await rowsOf(letInRequests, { email })
  expect(row?.contributorId === null).toBe(row?.decision === 'NOT_NOW')
})

test('a helper decides, and a request of another memorial is not found', async () => {
  const one = await asked()
  const other = await asked()
  const helper = await keeperOf(one.owner, one.memorial.id, 'HELPER')
  await one.ask()
  const [request] = await one.waiting()
  const elsewhere = await other.owner.put(`${other.requests}/${request?.id}`, { decision: 'LET_IN' })
  expect([elsewhere.status, (await one.decide('LET_IN', helper)).status]).toEqual([409, 204])
})

test(
  'a helper who is removed while they decide lets nobody in',
  { tags: ['decides-while-keeper'] },
  async () => {
    const { owner, path, memorial, requests, ask, waiting } = await asked()
    const helper = await keeperOf(owner, memorial.id, 'HELPER')
    const helperId = await keeperIdOf(owner, memorial.id)
    await ask()
    const [request] = await waiting()
    helper.bindings = meanwhileEnv(() => owner.delete(`${path}/keepers/${helperId}`))
    const { status } = await helper.put(`${requests}/${request?.id}`, { decision: 'NOT_NOW' })
    expect([status, (await waiting()).length]).toEqual([409, 1])
  },
)

test(
  'whoever is blocked waits for nobody, and reads the same answer',
  { tags: ['blocked-phones-ask-nobody'] },
  async () => {
    const { owner, path, memorial, ask, waiting } = await asked('LOCKED')
    await owner.patch(path, { visitorMessages: 'AT_ONCE' })
    const phone = new Client()
    await phone.post(`/api/memorial/${memorial.slug}/visitor-messages`, { name: 'Rudo', body: 'Words' })
    const [person] = await rowsOf(contributors, { memorialId: memorial.id })
    expect((await owner.post(`${path}/contributors/${person?.id}/block`)).status).toBe(204)
    await owner.patch(`${path}/privacy`, { privacy: 'INVITE' })
    expect([(await ask(newEmail(), phone)).status, await waiting()]).toEqual([201, []])
    expect([(await ask()).status, (await waiting()).length]).toEqual([201, 1])
  },
)

test('the owner gets one mail for several requests, which says only how many there are', async () => {
  const { owner, ask } = await asked()
  await ask()
  await ask()
  await tellOwners(testCtx())
  await tellOwners(testCtx())
  const mails = await mailboxOf(owner.user.email, 1)
  const told = mails.filter(({ text }) => text.includes('2 people ask to be let in'))
  expect([told.length, told[0]?.text.includes('Rudo')]).toEqual([1, false])
})

test(
  'requests are limited by network, and those that wait are bounded',
  { tags: ['requests-are-bounded'] },
  async () => {
    const { memorial, ask, waiting } = await asked()
    const client = new Client()
    const answers = await inTurn(RATE_LIMITS.letInRequests.limit + 1, () => ask(newEmail(), client))
    expect(answers.at(-1)?.status).toBe(429)
    const createdAt = Date.now()
    const left = LET_IN_WAITING_MAX - (await waiting()).length
    for (let n = 0; n < left; n++)
      await testCtx()
        .db.insert(letInRequests)
        .values({
          id: newId('letInRequest'),
          memorialId: memorial.id,
          name: 'A',
          relation: 'B',
          email: newEmail(),
          tokenHash: crypto.randomUUID(),
          createdAt,
        })
    expect([(await ask()).status, (await waiting()).length]).toEqual([201, LET_IN_WAITING_MAX])
  },
)

test('requests are deleted after 90 days', async () => {
  const { memorial, ask } = await asked()
  await ask()
  await changeRows(letInRequests, { memorialId: memorial.id }, { createdAt: Date.now() - LET_IN_KEPT_MS - 1 })
  await deleteOldRecords(testCtx())
  expect(await rowsOf(letInRequests, { memorialId: memorial.id })).toEqual([])
})
