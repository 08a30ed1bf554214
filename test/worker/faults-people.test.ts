import { beforeEach, expect, test } from 'vitest'
import { eq } from 'drizzle-orm'
import type { CommentPage } from '#shared/comments.ts'
import { HOUR_MS } from '#shared/limits.ts'
import { accountTokens, users } from '#worker/features/accounts/accounts.table.ts'
import { mails } from '#worker/features/mail/mail.table.ts'
import { hashToken, newToken } from '#worker/platform/random.ts'
import { confirmed, newEmail, PASSWORD, registration } from './accounts.ts'
import { runFaults, type Scenario } from './fault-run.ts'
import { Client, contributorOf, inviteTokenOf, memorialOf, testCtx } from './harness.ts'
import { forgetAll } from './state.ts'

beforeEach(forgetAll)

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
  async expectDone(stand) {
    expect(await messagesOf(stand)).toEqual(['She sang.'])
  },
}

const messageTakenBack: Scenario<Guestbook> = {
  ...message,
  async arrange() {
    const stand = await guestbook()
    const { body } = await stand.sender.post(`/api/memorials/${stand.memorialId}/comments`, {
      body: 'She sang.',
    })
    return { ...stand, key: body.comment.id as string }
  },
  async act({ sender, key }) {
    return (await sender.delete(`/api/comments/${key}`)).status
  },
  done: [200, 204],
  doneBefore: [404],
  async expectDone(stand) {
    expect(await messagesOf(stand)).toEqual([])
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

async function survive<S>(name: string, scenario: Scenario<S>): Promise<void> {
  const { calls, faults } = await runFaults(scenario)
  expect(calls.length).toBeGreaterThan(1)
  console.log(`${faults} faults: ${name}: ${calls.join(' ')}`)
}
const SLOW = { timeout: 240_000 }

test('F5: a message is there once, whatever fails while it is posted', SLOW, () =>
  survive('a message', message),
)
test('F5: a message is gone, whatever fails while it is deleted', SLOW, () =>
  survive('a message taken back', messageTakenBack),
)
test('F5: a relative gets a session, whatever fails while it begins', SLOW, () => survive('a visit', visit))
test('F5: an account has its mail, whatever fails while it is made', SLOW, () =>
  survive('an account', registered),
)
test('F5: a new password holds, whatever fails while it is set', SLOW, () => survive('a new password', reset))
