import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { accountTokens, users } from '#worker/schema/accounts.table.ts'
import { registered } from '../../../../test/worker/accounts.ts'
import { Client, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf, tokenIn } from '../../../../test/worker/mailbox.ts'

test('resending sends a new link and voids the older one', async () => {
  const email = await registered()
  const first = tokenIn((await mailboxOf(email))[0])
  await new Client().post('/api/auth/resend-verification', { email })
  const second = tokenIn((await mailboxOf(email, 2))[0])
  expect((await new Client().get(`/api/auth/verify-email/${first}`)).status).toBe(410)
  expect((await new Client().get(`/api/auth/verify-email/${second}`)).status).toBe(200)
})

test('HEAD does not use up the link, and opening it twice succeeds without a session', async () => {
  const email = await registered()
  const path = `/api/auth/verify-email/${tokenIn((await mailboxOf(email))[0])}`
  const client = new Client()
  expect((await client.fetch(path, { method: 'HEAD' })).status).toBe(200)
  const [user] = await testCtx().db.select().from(users).where(eq(users.email, email))
  expect(user?.emailVerifiedAt).toBeNull()
  expect((await client.get(path)).status).toBe(200)
  expect((await client.get(path)).status).toBe(200)
  expect(client.cookies.size).toBe(0)
})

test('an expired or invented link answers 410', async () => {
  const email = await registered()
  const token = tokenIn((await mailboxOf(email))[0])
  const ctx = testCtx()
  const [user] = await ctx.db.select().from(users).where(eq(users.email, email))
  await ctx.db
    .update(accountTokens)
    .set({ expiresAt: Date.now() - 1 })
    .where(eq(accountTokens.userId, user!.id))
  for (const path of [token, 'nothing', 'a'.repeat(43)]) {
    expect(await new Client().get(`/api/auth/verify-email/${path}`)).toMatchObject({
      status: 410,
      body: {
        message: 'This link has been used or has expired. Sign in to be sent a new one.',
        code: 'link_expired',
      },
    })
  }
})

test('the database stores only the SHA-256 of a token', async () => {
  const email = await registered()
  const token = tokenIn((await mailboxOf(email))[0])
  expect(token).toMatch(/^[\w-]{43}$/u)
  const rows = await testCtx().db.select().from(accountTokens)
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(token)
})
