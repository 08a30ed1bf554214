import { beforeEach, expect, test } from 'vitest'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { mails } from '#worker/schema/mail.table.ts'
import type { CommentPage } from '#shared/comments/comments.ts'
import { HOUR_MS } from '#shared/limits.ts'
import { accountTokens, users } from '#worker/schema/accounts.table.ts'
import { hashToken, newToken } from '#worker/platform/random.ts'
import { runFaults, type Scenario } from './fault-run.ts'
import {
  Client,
  invited,
  inviteTokenOf,
  memorialOf,
  paidCredit,
  signedIn,
  testCtx,
  type SignedIn,
} from '../harness.ts'
import { rowsOf } from '../rows.ts'
import { deleteAll } from '../state.ts'
import { confirmed, newEmail, PASSWORD, registration } from '../accounts.ts'

beforeEach(deleteAll)

const newMemorial: Scenario<{ owner: SignedIn; key: string }> = {
  async arrange() {
    const owner = await signedIn()
    await paidCredit(owner.user.id)
    return { owner, key: crypto.randomUUID() }
  },
  client: ({ owner }) => owner,
  async act({ owner, key }) {
    const headers = { 'Idempotency-Key': key }
    const body = { honoureeFullName: 'Tendai Moyo', title: 'She stayed.' }
    return (await owner.post('/api/memorials', body, { headers })).status
  },
  done: [201],
  async expectDone({ owner }) {
    const { body } = await owner.get<{ memorials: Memorial[] }>('/api/dashboard')
    expect(body.memorials.map(({ title, status, isPaid }) => [title, status, isPaid])).toEqual([
      ['She stayed.', 'ACTIVE', true],
    ])
  },
}

const shared = () => memorialOf({ privacy: 'INVITE' })
type Shared = Awaited<ReturnType<typeof shared>>

/** One change by the owner of a shared memorial. `wanted` is a part of what the owner sees then, or checks it. */
function change(
  send: (stage: Shared) => Promise<{ status: number }>,
  wanted: object | ((stage: Shared) => Promise<void>),
  doneBefore: number[] = [],
): Scenario<Shared> {
  return {
    arrange: shared,
    client: ({ owner }) => owner,
    memorialIds: ({ memorial }) => [memorial.id],
    act: async (stage) => (await send(stage)).status,
    done: [200, 201, 204],
    doneBefore,
    async expectDone(stage) {
      if (typeof wanted === 'function') await wanted(stage)
      else expect((await stage.owner.get(stage.path)).body).toMatchObject(wanted)
    },
  }
}

const lifeStory = '<p>She walked to school.</p>'
const place = { label: 'Warren Hills', latitude: -17.8, longitude: 30.9 }
const service = { title: 'Burial', dateTime: '2026-12-01T10:00', timeZone: 'Africa/Harare' }

const changes = {
  'a life story': change(
    ({ owner, path, memorial: { updatedAt } }) => owner.patch(path, { lifeStory, updatedAt }),
    { memorial: { lifeStory } },
  ),
  'a change to public': change(({ owner, path }) => owner.patch(`${path}/privacy`, { privacy: 'LOCKED' }), {
    memorial: { privacy: 'LOCKED' },
  }),
  'a service': change(({ owner, path }) => owner.put(`${path}/funeral`, service), {
    funeralEvents: [{ title: 'Burial' }],
  }),
  'a grave location': change(({ owner, path }) => owner.put(`${path}/location`, place), { location: place }),
  'a new invitation link': change(
    ({ owner, path }) => owner.post(`${path}/invite-link/rotate`),
    async ({ owner, memorial }) => {
      const token = await inviteTokenOf(owner, memorial.id)
      expect((await owner.get(`/api/invite/${token}`)).status).toBe(200)
    },
  ),
  'a deletion': change(
    ({ owner, path, memorial }) => owner.delete(path, { confirmName: memorial.honoureeFullName }),
    async ({ owner, path, memorial }) => {
      expect((await owner.get(path)).status).toBe(404)
      expect(await rowsOf(mails, { subjectId: memorial.id, kind: 'memorial-deleted' })).toHaveLength(1)
    },
    [404],
  ),
}

test('a memorial is created once and its payment is spent once, whichever call fails', async () => {
  expect(await runFaults(newMemorial)).toContain('DB.batch')
})

test.each(Object.entries(changes))('%s is saved once, whichever call fails', async (_, scenario) => {
  expect((await runFaults(scenario)).length).toBeGreaterThan(2)
})

test('a restored memorial is active again, whichever call fails', async () => {
  const calls = await runFaults({
    ...change(({ owner, path }) => owner.post(`${path}/restore`), { memorial: { status: 'ACTIVE' } }, [409]),
    async arrange() {
      const stage = await shared()
      await stage.owner.delete(stage.path, { confirmName: stage.memorial.honoureeFullName })
      return stage
    },
  })
  expect(calls.length).toBeGreaterThan(2)
})

type Guestbook = { owner: Client; sender: Client; memorialId: string; key: string }
type Visit = { client: Client; token: string; memorialId: string }
type Account = { client: Client; email: string; token: string }

const messagesOf = async ({ owner, memorialId }: Guestbook) => {
  const { body } = await owner.get<CommentPage>(`/api/memorials/${memorialId}/comments`)
  return body.comments.map((comment) => comment.body)
}

async function guestbook(): Promise<Guestbook> {
  const { owner, memorial, relative } = await invited()
  return { owner, sender: relative, memorialId: memorial.id, key: crypto.randomUUID() }
}

const message: Scenario<Guestbook> = {
  arrange: guestbook,
  client: ({ sender }) => sender,
  async act({ sender, memorialId, key }) {
    const headers = { 'Idempotency-Key': key }
    return (await sender.post(`/api/memorials/${memorialId}/comments`, { body: 'She sang.' }, { headers }))
      .status
  },
  done: [201],
  async expectDone(setup) {
    expect(await messagesOf(setup)).toEqual(['She sang.'])
  },
}

const messageTakenBack: Scenario<Guestbook> = {
  ...message,
  async arrange() {
    const setup = await guestbook()
    const { body } = await setup.sender.post(`/api/memorials/${setup.memorialId}/comments`, {
      body: 'She sang.',
    })
    return { ...setup, key: body.comment.id as string }
  },
  async act({ sender, key }) {
    return (await sender.delete(`/api/comments/${key}`)).status
  },
  done: [200, 204],
  doneBefore: [404],
  async expectDone(setup) {
    expect(await messagesOf(setup)).toEqual([])
  },
}

const visit: Scenario<Visit> = {
  async arrange() {
    const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
    const token = await inviteTokenOf(owner, memorial.id)
    return { client: new Client(), token, memorialId: memorial.id }
  },
  client: ({ client }) => client,
  async act({ client, token }) {
    return (await client.post(`/api/invite/${token}/session`, { displayName: 'Farai', email: '' })).status
  },
  done: [201],
  async expectDone({ client, memorialId }) {
    const { body } = await client.get(`/api/memorials/${memorialId}/contributor-session`)
    expect(body.displayName).toBe('Farai')
  },
}

const registered: Scenario<Account> = {
  arrange: async () => ({ client: new Client(), email: newEmail(), token: '' }),
  client: ({ client }) => client,
  async act({ client, email }) {
    return (await client.post('/api/auth/register', registration(email))).status
  },
  done: [201],
  async expectDone({ email }) {
    const waiting = await rowsOf(mails, { recipient: email })
    expect(waiting.filter(({ status }) => status === 'QUEUED' || status === 'SENT').length).toBeGreaterThan(0)
  },
}

const reset: Scenario<Account> = {
  async arrange() {
    const email = await confirmed()
    const token = newToken()
    const [user] = await rowsOf(users, { email })
    await testCtx()
      .db.insert(accountTokens)
      .values({
        tokenHash: hashToken(token),
        userId: user?.id ?? '',
        kind: 'RESET',
        expiresAt: Date.now() + HOUR_MS,
        createdAt: Date.now(),
      })
    return { client: new Client(), email, token }
  },
  client: ({ client }) => client,
  async act({ client, token }) {
    return (await client.post('/api/auth/reset-password', { token, password: `${PASSWORD} again` })).status
  },
  done: [200],
  doneBefore: [410],
  async expectDone({ email }) {
    const login = await new Client().post('/api/auth/login', { email, password: `${PASSWORD} again` })
    expect(login.status).toBe(200)
  },
}

async function expectSurvival<S>(scenario: Scenario<S>): Promise<void> {
  expect((await runFaults(scenario)).length).toBeGreaterThan(1)
}

test('a comment is posted once, whichever call fails', () => expectSurvival(message))
test('a comment is deleted, whichever call fails', () => expectSurvival(messageTakenBack))
test('a contributor gets a session, whichever call fails', () => expectSurvival(visit))
test('a new account gets its mail, whichever call fails', () => expectSurvival(registered))
test('a new password works, whichever call fails while it is set', () => expectSurvival(reset))
