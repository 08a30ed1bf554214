import { beforeEach, expect, test } from 'vitest'
import { eq } from 'drizzle-orm'
import type { CommentPage } from '#shared/comments.ts'
import { HOUR_MS } from '#shared/limits.ts'
import { accountTokens, users } from '#worker/schema/accounts.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { hashToken, newToken } from '#worker/platform/random.ts'
import { confirmed, newEmail, PASSWORD, registration } from '../accounts.ts'
import { runFaults, type Scenario } from './fault-run.ts'
import { Client, contributorOf, inviteTokenOf, memorialOf, testCtx } from '../harness.ts'
import { deleteAll } from '../state.ts'

beforeEach(deleteAll)

type Guestbook = { owner: Client; sender: Client; memorialId: string; key: string }
type Visit = { client: Client; token: string; memorialId: string }
type Account = { client: Client; email: string; token: string }

const messagesOf = async ({ owner, memorialId }: Guestbook) => {
  const { body } = await owner.get<CommentPage>(`/api/memorials/${memorialId}/comments`)
  return body.comments.map((comment) => comment.body)
}

async function guestbook(): Promise<Guestbook> {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const sender = await contributorOf(owner, memorial.id)
  return { owner, sender, memorialId: memorial.id, key: crypto.randomUUID() }
}

const message: Scenario<Guestbook> = {
  arrange: guestbook,
  client: ({ sender }) => sender,
  memorialIds: () => [],
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
  memorialIds: () => [],
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
  memorialIds: () => [],
  async act({ client, email }) {
    return (await client.post('/api/auth/register', registration(email))).status
  },
  done: [201],
  async expectDone({ email }) {
    const waiting = await testCtx().db.select().from(mails).where(eq(mails.recipient, email))
    expect(waiting.filter(({ status }) => status === 'QUEUED' || status === 'SENT').length).toBeGreaterThan(0)
  },
}

const reset: Scenario<Account> = {
  async arrange() {
    const email = await confirmed()
    const { db } = testCtx()
    const token = newToken()
    const [user] = await db.select({ id: users.id }).from(users).where(eq(users.email, email))
    await db.insert(accountTokens).values({
      tokenHash: hashToken(token),
      userId: user?.id ?? '',
      kind: 'RESET',
      expiresAt: Date.now() + HOUR_MS,
      createdAt: Date.now(),
    })
    return { client: new Client(), email, token }
  },
  client: ({ client }) => client,
  memorialIds: () => [],
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
