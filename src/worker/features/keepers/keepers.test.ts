import { expect, test } from 'vitest'
import { accountAnswers } from '#shared/accounts/account-answers.ts'
import { keeperMessages } from '#shared/keepers/keeper-messages.ts'
import { KEEPER_INVITE_EXPIRES_MS, KEEPER_INVITES_MAX, KEEPERS_MAX } from '#shared/limits.ts'
import { keeperInvites, keepers } from '#worker/schema/keepers.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { newEmail } from '../../../../test/worker/accounts.ts'
import { Client, contributorOf, memorialOf, ORIGIN, signedIn } from '../../../../test/worker/harness.ts'
import { keeperOf, keeperToken } from '../../../../test/worker/keepers.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { sendFixture } from '../../../../test/worker/uploads.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT/u)

async function kept(privacy: 'PRIVATE' | 'INVITE' | 'LOCKED' = 'INVITE') {
  const { owner, memorial, path } = await memorialOf({ privacy, name: 'Sekai Ndlovu' })
  const list = async (client: Client = owner) => (await client.get(`${path}/keepers`)).body
  return { owner, memorial, path, list, invites: `${path}/keeper-invites` }
}

test('a link makes one signed-in person a keeper, and says before what they may do', async () => {
  const { owner, memorial, list, invites } = await kept('PRIVATE')
  const { status, body } = await owner.post(invites, { role: 'KEEPER', mayExport: true })
  const invite = { id: expect.stringMatching(/^kin_/u), role: 'KEEPER', mayExport: true, email: null }
  const dates = { createdAt: INSTANT, expiresAt: INSTANT }
  const link = expect.stringMatching(new RegExp(`^${ORIGIN}/keep/[\\w-]{43}$`, 'u'))
  expect([status, body]).toEqual([201, { invite: { ...invite, ...dates }, link }])
  expect((await list()).invites).toEqual([body.invite])
  const token = body.link.split('/').at(-1)
  expect((await new Client().get(`/api/keeper-invites/${token}`)).body).toEqual({
    role: 'KEEPER',
    mayExport: true,
    honoureeFullName: 'Sekai Ndlovu',
    invitedBy: `${owner.user.firstName} ${owner.user.lastName}`,
    expiresAt: body.invite.expiresAt,
  })
  const accept = `/api/keeper-invites/${token}/accept`
  expect((await new Client().post(accept)).status).toBe(401)
  const keeper = await signedIn()
  expect((await keeper.get(`/api/memorials/${memorial.id}`)).status).toBe(403)
  expect((await keeper.post(accept)).body).toEqual({ memorialId: memorial.id })
  const { body: view } = await keeper.get(`/api/memorials/${memorial.id}`)
  expect(view.viewer).toEqual({ role: 'KEEPER', canContribute: true, canEdit: true })
  const person = {
    id: expect.stringMatching(/^con_/u),
    name: `${keeper.user.firstName} ${keeper.user.lastName}`,
    role: 'KEEPER',
    mayExport: true,
    createdAt: INSTANT,
    seenAt: null,
  }
  const ownerName = { name: `${owner.user.firstName} ${owner.user.lastName}` }
  expect(await list()).toEqual({
    owner: ownerName,
    keepers: [{ ...person, isYou: false, email: keeper.user.email }],
    invites: [],
    handover: null,
  })
  expect((await keeper.get('/api/dashboard')).body).toEqual({
    memorials: [],
    kept: [
      { id: memorial.id, honoureeFullName: 'Sekai Ndlovu', role: 'KEEPER', privacy: 'PRIVATE', news: null },
    ],
  })
  expect(await list(keeper)).toEqual({
    owner: ownerName,
    keepers: [{ ...person, isYou: true }],
    invites: [],
    handover: null,
  })
  const again = await signedIn()
  const late = await again.post(accept)
  expect([late.status, late.body.message]).toEqual([404, keeperMessages.inviteOver])
})

test('of many who open one link at once, one is let in', { tags: ['keeper-invite-works-once'] }, async () => {
  const { owner, memorial } = await kept()
  const token = await keeperToken(owner, memorial.id, { role: 'HELPER' })
  const people = await Promise.all([1, 2, 3, 4, 5].map(() => signedIn()))
  const answers = await Promise.all(people.map((one) => one.post(`/api/keeper-invites/${token}/accept`)))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404, 404])
  expect(await rowsOf(keepers, { memorialId: memorial.id })).toHaveLength(1)
})

test(
  'a link that was taken back, or is older than seven days, opens nothing',
  { tags: ['keeper-invite-expires', 'revokes-own-invites'] },
  async () => {
    const { owner, memorial, path, invites } = await kept()
    const other = await kept()
    const revoked = await keeperToken(owner, memorial.id, { role: 'HELPER' })
    const [{ id } = { id: '' }] = await rowsOf(keeperInvites, { memorialId: memorial.id })
    expect((await other.owner.delete(`${other.path}/keeper-invites/${id}`)).status).toBe(404)
    expect((await owner.delete(`${invites}/${id}`)).status).toBe(204)
    const old = await keeperToken(owner, memorial.id, { role: 'HELPER' })
    await changeRows(
      keeperInvites,
      { memorialId: memorial.id },
      { expiresAt: Date.now() - 1, createdAt: Date.now() - KEEPER_INVITE_EXPIRES_MS },
    )
    const person = await signedIn()
    for (const token of [revoked, old, 'none']) {
      expect((await person.get(`/api/keeper-invites/${token}`)).status).toBe(404)
      expect((await person.post(`/api/keeper-invites/${token}/accept`)).status).toBe(404)
    }
    expect((await owner.get(`${path}/keepers`)).body.invites).toEqual([])
  },
)

test('an invitation is mailed to an address once the memorial is paid for', async () => {
  const { owner, memorial, invites } = await kept()
  const email = newEmail()
  const { body } = await owner.post(invites, { role: 'HELPER', mayExport: true, email })
  expect(body).toMatchObject({ invite: { role: 'HELPER', mayExport: false, email }, link: null })
  const [mail] = await mailboxOf(email, 1)
  expect(mail?.subject).toBe('Please help us look after a memorial')
  expect(mail?.text).toContain('asks you to look after the memorial of Sekai Ndlovu with them, as a helper.')
  const token = /\/keep\/(\S+)/u.exec(mail?.text ?? '')?.[1]
  const helper = await signedIn()
  expect((await helper.post(`/api/keeper-invites/${token}/accept`)).body).toEqual({ memorialId: memorial.id })
  const draft = await draftOf(owner)
  const refused = await owner.post(`/api/memorials/${draft}/keeper-invites`, { role: 'HELPER', email })
  expect([refused.status, refused.body.code]).toEqual([402, 'payment_required'])
})

test(
  'a mailbox gets three mails a day, whoever invites or names, and however often',
  { tags: ['keeper-mails-limited', 'named-mails-limited'] },
  async () => {
    const [one, other] = [await kept(), await kept()]
    const email = newEmail()
    const invite = ({ owner, invites }: typeof one, address: string) =>
      owner.post(invites, { role: 'HELPER', email: address })
    const name = ({ owner, path }: typeof one, tell: boolean) =>
      owner.post(`${path}/successors`, { name: 'Tariro', email, tell })
    const first = await invite(one, email)
    expect(first.status).toBe(201)
    expect((await one.owner.delete(`${one.invites}/${first.body.invite.id}`)).status).toBe(204)
    expect((await invite(one, email.replace('@', '+mum@'))).status).toBe(201)
    expect((await name(one, true)).status).toBe(201)

    const refused = [await invite(one, email), await invite(other, email), await name(other, true)]
    const full = { code: 'too_many_requests', message: accountAnswers.manyMailsToday }
    for (const { status, body, headers } of refused) {
      expect([status, body]).toEqual([429, expect.objectContaining(full)])
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
    }
    // A link that the owner passes on, naming without a mail, and other mailboxes.
    expect((await invite(other, '')).status).toBe(201)
    expect((await name(other, false)).status).toBe(201)
    expect((await invite(other, newEmail())).status).toBe(201)
  },
)

test('owners and keepers can’t accept again, and there is an end to how many there are', async () => {
  const { owner, memorial, invites } = await kept()
  const keeper = await keeperOf(owner, memorial.id, 'KEEPER')
  const token = await keeperToken(owner, memorial.id, { role: 'HELPER' })
  for (const [client, message] of [
    [owner, keeperMessages.isOwner],
    [keeper, keeperMessages.isKeeper],
  ] as const) {
    const { status, body } = await client.post(`/api/keeper-invites/${token}/accept`)
    expect([status, body.message]).toEqual([409, message])
  }
  const open = await atOnce(KEEPER_INVITES_MAX + 3, () => owner.post(invites, { role: 'HELPER' }))
  const refused = open.filter(({ status }) => status === 409)
  expect([refused.length, refused[0]?.body.message]).toEqual([4, keeperMessages.tooManyInvites])
  expect(KEEPERS_MAX).toBe(20)
})

test(
  'a removed keeper is out at once wherever they signed in; what they added stays',
  { tags: ['keeper-is-user', 'keeper-of-this-memorial', 'only-owner-removes-others'] },
  async () => {
    const { owner, memorial, path, list } = await kept('PRIVATE')
    const keeper = await keeperOf(owner, memorial.id, 'KEEPER')
    const helper = await keeperOf(owner, memorial.id, 'HELPER')
    expect((await keeper.post(`${path}/comments`, { body: 'I held her hand.' })).status).toBe(201)
    await sendFixture(keeper, memorial.id, 'photo.png')
    const [first, helping] = (await list()).keepers
    const other = await memorialOf({ privacy: 'PRIVATE' })
    expect((await keeper.get(other.path)).status).toBe(403)
    expect((await keeper.delete(`${path}/keepers/${helping.id}`)).status).toBe(404)
    expect((await owner.delete(`${path}/keepers/${first.id}`)).status).toBe(204)
    expect((await keeper.get(path)).status).toBe(403)
    expect((await keeper.post(`${path}/comments`, { body: 'Once more.' })).status).toBe(403)
    expect((await helper.delete(`${path}/keepers/${helping.id}`)).status).toBe(204)
    expect((await helper.get(path)).status).toBe(403)
    expect((await list()).keepers).toEqual([])
    expect((await owner.get(`${path}/comments`)).body.comments).toMatchObject([
      {
        body: 'I held her hand.',
        authorName: `${keeper.user.firstName} ${keeper.user.lastName}`,
        isOwner: false,
      },
    ])
    expect((await owner.get(`${path}/media`)).body.media).toHaveLength(1)
  },
)

test(
  'only owners change roles; keepers export and delete for good only what they may',
  {
    tags: [
      'keepers-do-not-own',
      'export-if-allowed',
      'keepers-edit',
      'keepers-delete-nothing-for-good',
      'removes-keepers-of-own-memorial',
    ],
  },
  async () => {
    const { owner, memorial, path, list } = await kept()
    const keeper = await keeperOf(owner, memorial.id, 'KEEPER')
    const relative = await contributorOf(owner, memorial.id)
    const theirs = (await relative.post(`${path}/comments`, { body: 'Mine' })).body.comment
    const own = (await keeper.post(`${path}/comments`, { body: 'Own' })).body.comment
    expect((await keeper.patch(path, { title: 'She stayed.' })).status).toBe(200)
    expect((await keeper.get(`${path}/export/plan`)).status).toBe(403)
    const [{ id }] = (await list()).keepers
    const rights = { role: 'KEEPER', mayExport: true }
    expect((await keeper.put(`${path}/keepers/${id}`, rights)).status).toBe(403)
    const other = await kept()
    expect((await other.owner.put(`${other.path}/keepers/${id}`, rights)).status).toBe(404)
    expect((await other.owner.delete(`${other.path}/keepers/${id}`)).status).toBe(404)
    expect((await owner.put(`${path}/keepers/${id}`, rights)).body.keepers).toMatchObject([rights])
    expect((await keeper.get(`${path}/export/plan`)).status).toBe(200)
    expect((await keeper.delete(`/api/comments/${theirs.id}?forever=1`)).status).toBe(403)
    expect((await keeper.delete(`/api/comments/${theirs.id}`)).status).toBe(204)
    expect((await keeper.delete(`/api/comments/${theirs.id}?forever=1`)).status).toBe(403)
    expect((await keeper.post(`/api/comments/${theirs.id}/restore`)).status).toBe(200)
    expect((await keeper.delete(`/api/comments/${own.id}?forever=1`)).status).toBe(204)
    await owner.put(`${path}/keepers/${id}`, { role: 'HELPER', mayExport: true })
    expect((await keeper.get(`${path}/export/plan`)).status).toBe(403)
    expect((await keeper.patch(path, { title: 'No' })).status).toBe(403)
    expect((await rowsOf(memorials, { id: memorial.id }))[0]?.title).toBe('She stayed.')
  },
)

test(
  'a memorial that its owner deleted is gone for a keeper who may export',
  { tags: ['deleted-is-not-exported-by-keepers'] },
  async () => {
    const { owner, memorial, path, list } = await kept()
    const keeper = await keeperOf(owner, memorial.id, 'KEEPER')
    const [{ id }] = (await list()).keepers
    await owner.put(`${path}/keepers/${id}`, { role: 'KEEPER', mayExport: true })
    const plan = async (client: Client) => (await client.get(`${path}/export/plan`)).status
    expect(await plan(keeper)).toBe(200)
    await owner.delete(path, { confirmName: memorial.honoureeFullName })
    expect([await plan(keeper), await plan(owner)]).toEqual([404, 200])
  },
)

test('a helper takes back and restores their own words', async () => {
  const { owner, memorial, path } = await kept()
  const helper = await keeperOf(owner, memorial.id, 'HELPER')
  const { id } = (await helper.post(`${path}/comments`, { body: 'I held her hand.' })).body.comment
  expect((await helper.delete(`/api/comments/${id}`)).status).toBe(204)
  expect((await helper.get(`${path}/removed`)).body.comments).toMatchObject([{ id }])
  expect((await helper.post(`/api/comments/${id}/restore`)).status).toBe(200)
  expect((await owner.get(`${path}/comments`)).body.comments).toMatchObject([{ id }])
})

test('a helper decides about what waits, and nothing of theirs waits', async () => {
  const { owner, memorial, path } = await kept()
  await owner.patch(path, { holdNew: true })
  const helper = await keeperOf(owner, memorial.id, 'HELPER')
  const relative = await contributorOf(owner, memorial.id)
  const waiting = (await relative.post(`${path}/comments`, { body: 'Waiting' })).body.comment
  expect(waiting.isHeld).toBe(true)
  expect((await helper.post(`${path}/comments`, { body: 'Here' })).body.comment).not.toHaveProperty('isHeld')
  const seen = (await helper.get(`${path}/comments`)).body.comments
  expect(seen.map(({ body }: { body: string }) => body)).toEqual(['Here', 'Waiting'])
  expect((await helper.post(`${path}/held/show`, { ids: [waiting.id] })).body).toMatchObject({ shown: 1 })
  expect((await helper.delete(`/api/comments/${waiting.id}`)).status).toBe(403)
})
