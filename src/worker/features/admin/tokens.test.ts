import { desc, eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import type { AdminStats, TokenPool } from '#shared/admin.ts'
import { ADMIN_TOKENS_MAX, TOKENS_BATCH } from '#shared/limits.ts'
import { auditLog } from '#worker/schema/admin.table.ts'
import { inviteTokens } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { paidCredit, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'

test('the statistics match the stored rows', async () => {
  const admin = await signedIn({ admin: true })
  const owner = await signedIn()
  const before = (await admin.get<AdminStats>('/api/admin/stats')).body
  const pool = (await admin.get<TokenPool>('/api/admin/tokens')).body
  const [paidId] = [await draftOf(owner), await draftOf(owner)]
  const creditId = await paidCredit(owner.user.id)
  await testCtx().db.update(payments).set({ memorialId: paidId }).where(eq(payments.id, creditId))
  await testCtx().db.update(memorials).set({ status: 'ACTIVE' }).where(eq(memorials.id, paidId))
  await testCtx()
    .db.insert(inviteTokens)
    .values([
      { token: crypto.randomUUID(), status: 'AVAILABLE', createdAt: 1 },
      { token: crypto.randomUUID(), status: 'REVOKED', createdAt: 1 },
    ])
  expect((await admin.get('/api/admin/stats')).body).toEqual({
    totalMemorials: before.totalMemorials + 2,
    activeMemorials: before.activeMemorials + 1,
    paidMemorials: before.paidMemorials + 1,
  })
  expect((await admin.get('/api/admin/tokens')).body).toEqual({
    availableCount: pool.availableCount + 1,
    assignedCount: pool.assignedCount,
    revokedCount: pool.revokedCount + 1,
  })
})

test('an admin generates the requested number of UUID tokens, and it is logged', async () => {
  const admin = await signedIn({ admin: true })
  const before = (await admin.get<TokenPool>('/api/admin/tokens')).body
  const first = await admin.post<TokenPool>('/api/admin/tokens')
  const more = await admin.post<TokenPool>('/api/admin/tokens', { count: ADMIN_TOKENS_MAX })
  expect([first.status, first.body, more.status, more.body]).toEqual([
    201,
    { ...before, availableCount: before.availableCount + TOKENS_BATCH },
    201,
    { ...before, availableCount: before.availableCount + TOKENS_BATCH + ADMIN_TOKENS_MAX },
  ])
  const pool = await testCtx()
    .db.select({ token: inviteTokens.token })
    .from(inviteTokens)
    .orderBy(desc(inviteTokens.createdAt))
    .limit(ADMIN_TOKENS_MAX)
  const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u
  expect(pool.filter(({ token }) => !uuid.test(token))).toEqual([])
  const logged = await testCtx()
    .db.select({ action: auditLog.action, targetKind: auditLog.targetKind, detail: auditLog.detail })
    .from(auditLog)
    .where(eq(auditLog.actorId, admin.user.id))
    .orderBy(auditLog.createdAt)
  expect(logged).toEqual([
    { action: 'generate_tokens', targetKind: 'token', detail: { count: TOKENS_BATCH } },
    { action: 'generate_tokens', targetKind: 'token', detail: { count: ADMIN_TOKENS_MAX } },
  ])
})

test('an invalid or too large number generates no tokens', async () => {
  const admin = await signedIn({ admin: true })
  const before = (await admin.get<TokenPool>('/api/admin/tokens')).body
  for (const count of [0, -1, 1.5, '5', ADMIN_TOKENS_MAX + 1]) {
    expect([count, (await admin.post('/api/admin/tokens', { count })).status]).toEqual([count, 400])
  }
  expect((await admin.get('/api/admin/tokens')).body).toEqual(before)
})
