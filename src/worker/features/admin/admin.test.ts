import { desc } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { Client, signedIn, testCtx, paidCredit } from '../../../../test/worker/harness.ts'
import type { AdminStats, TokenPool } from '#shared/admin/admin.ts'
import { ADMIN_TOKENS_MAX, TOKENS_BATCH } from '#shared/limits.ts'
import { inviteTokens } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'
import { changeRows, auditOf } from '../../../../test/worker/rows.ts'

/** Every console call without a body and with an unknown id: method, path, and the status that an admin gets. */
const CALLS = Object.entries(api)
  .filter(([, { path }]) => path.startsWith('/api/admin'))
  .map(([name, { method, path, status }]) => {
    const requested = path.replace(':id', 'nothing')
    // Only a word that is saved needs a body.
    const answered = name === 'saveWord' ? 400 : status
    return [method, requested, requested === path ? answered : 404] as const
  })

async function statusesFor(client: Client) {
  const statuses: number[] = []
  for (const [method, path] of CALLS) statuses.push((await client.call(method, path)).status)
  return statuses
}

test('an email address that contains "admin" grants no access', async () => {
  const domain = `${randomBase32(8)}.test`
  for (const name of ['admin', 'evil.admin', 'superadmin', 'x+admin']) {
    const evil = await signedIn({ email: `${name}@${domain}` })
    expect([name, await statusesFor(evil)]).toEqual([name, CALLS.map(() => 403)])
    expect((await evil.get('/api/admin/memorials')).body).toEqual({
      message: 'You may not do this',
      code: 'forbidden',
    })
  }
  expect(await statusesFor(new Client())).toEqual(CALLS.map(() => 401))
})

test(
  'the admin role grants access once the email address is confirmed',
  { tags: ['admin-confirmed'] },
  async () => {
    const admin = await signedIn({ admin: true, email: `rudo@${randomBase32(8)}.test` })
    expect(await statusesFor(admin)).toEqual(CALLS.map(([, , status]) => status))
    await changeRows(users, { id: admin.user.id }, { emailVerifiedAt: null })
    expect(await statusesFor(admin)).toEqual(CALLS.map(() => 403))
  },
)

test('the statistics match the stored rows', async () => {
  const admin = await signedIn({ admin: true })
  const owner = await signedIn()
  const before = (await admin.get<AdminStats>('/api/admin/stats')).body
  const pool = (await admin.get<TokenPool>('/api/admin/tokens')).body
  const [paidId] = [await draftOf(owner), await draftOf(owner)]
  const creditId = await paidCredit(owner.user.id)
  await changeRows(payments, { id: creditId }, { memorialId: paidId })
  await changeRows(memorials, { id: paidId }, { status: 'ACTIVE' })
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
  // The memorial stays active, but nobody has paid for it.
  for (const status of ['REFUNDED', 'DISPUTED'] as const) {
    await changeRows(payments, { id: creditId }, { status })
    expect((await admin.get('/api/admin/stats')).body).toEqual({
      totalMemorials: before.totalMemorials + 2,
      activeMemorials: before.activeMemorials + 1,
      paidMemorials: before.paidMemorials,
    })
  }
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
  expect(await auditOf({ actorId: admin.user.id }, 'action', 'targetKind', 'detail')).toEqual([
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
