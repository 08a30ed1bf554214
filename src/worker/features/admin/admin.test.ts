import { eq, desc } from 'drizzle-orm'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test, vi } from 'vitest'
import { api } from '#shared/api.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { takeErrorLines } from '../../../../test/worker/error-lines.ts'
import { Client, signedIn, testCtx, paidCredit } from '../../../../test/worker/harness.ts'
import { callWith } from '../../../../test/worker/worker-with.ts'
import type { AdminStats, TokenPool } from '#shared/admin.ts'
import { ADMIN_TOKENS_MAX, TOKENS_BATCH } from '#shared/limits.ts'
import { auditLog } from '#worker/schema/admin.table.ts'
import { inviteTokens } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'

/** Every console call with an unknown id: method, path, and the status that an admin gets. */
const CALLS = Object.values(api)
  .filter(({ path }) => path.startsWith('/api/admin'))
  .map(({ method, path, status }) => {
    const requested = path.replace(':id', 'nothing')
    return [method, requested, requested === path ? status : 404] as const
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
    await testCtx().db.update(users).set({ emailVerifiedAt: null }).where(eq(users.id, admin.user.id))
    expect(await statusesFor(admin)).toEqual(CALLS.map(() => 403))
  },
)

test('with Cloudflare Access, an admin also needs a valid assertion', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const team = `${randomBase32(8)}.cloudflareaccess.com`
  const audience = randomBase32(16)
  const [trusted, forged] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')]
  const jwk = { ...(await exportJWK(trusted.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
  const keySet = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ keys: [jwk] }))
  const sign = (key: CryptoKey, change: { issuer?: string; audience?: string; expires?: string } = {}) =>
    new SignJWT({ email: 'rudo@family.test' })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .setIssuer(change.issuer ?? `https://${team}`)
      .setAudience(change.audience ?? audience)
      .setIssuedAt()
      .setExpirationTime(change.expires ?? '5m')
      .sign(key)
  const unsigned = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify({ aud: audience, iss: `https://${team}` }))}.`
  const assertions = [
    await sign(trusted.privateKey),
    null,
    'nonsense',
    unsigned.replaceAll('=', ''),
    await sign(forged.privateKey),
    await sign(trusted.privateKey, { audience: 'another application' }),
    await sign(trusted.privateKey, { issuer: 'https://evil.cloudflareaccess.com' }),
    await sign(trusted.privateKey, { expires: '-1m' }),
  ]
  const access = { ACCESS_TEAM_DOMAIN: team, ACCESS_AUD: audience }
  const admin = await signedIn({ admin: true })
  for (const [method, path, status] of CALLS) {
    const statuses: number[] = []
    for (const assertion of assertions) {
      const headers: Record<string, string> = assertion ? { 'Cf-Access-Jwt-Assertion': assertion } : {}
      statuses.push((await callWith(access, method, path, admin, headers)).status)
    }
    expect([method, path, statuses]).toEqual([method, path, [status, 403, 403, 403, 403, 403, 403, 403]])
  }
  const requestedUrls = keySet.mock.calls.map(([url]) => url as string).filter((url) => url.includes(team))
  expect(requestedUrls).toEqual([`https://${team}/cdn-cgi/access/certs`])
  const headers = { 'Cf-Access-Jwt-Assertion': assertions[0] ?? '' }
  expect(await callWith(access, 'GET', '/api/admin/stats', await signedIn(), headers)).toEqual({
    status: 403,
    code: 'forbidden',
  })
})

test('an incomplete Access configuration closes the console and logs the reason', async () => {
  const admin = await signedIn({ admin: true })
  const answer = await callWith({ ACCESS_AUD: 'aud' }, 'GET', '/api/admin/stats', admin)
  expect(answer).toEqual({ status: 503, code: 'not_available' })
  expect(takeErrorLines().join()).toContain('must be set together')
})

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
