import { eq } from 'drizzle-orm'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test, vi } from 'vitest'
import type { AdminMemorialPage, AdminStats, TokenPool } from '#shared/admin.ts'
import { users } from '#worker/features/accounts/accounts.table.ts'
import { inviteTokens } from '#worker/features/invites/invites.table.ts'
import { memorials } from '#worker/features/memorials/memorials.table.ts'
import { payments } from '#worker/features/payments/payments.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { takeErrorLines } from '../../../../test/worker/error-lines.ts'
import { Client, paidCredit, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'
import { callWith } from '../../../../test/worker/worker-with.ts'

const CALLS = ['/api/admin/memorials', '/api/admin/stats', '/api/admin/tokens']

async function statusesFor(client: Client) {
  return Promise.all(CALLS.map(async (path) => (await client.get(path)).status))
}

test('an address with "admin" in it opens nothing (A1)', async () => {
  const domain = `${randomBase32(8)}.test`
  for (const name of ['admin', 'evil.admin', 'superadmin', 'x+admin']) {
    const evil = await signedIn({ email: `${name}@${domain}` })
    expect([name, await statusesFor(evil)]).toEqual([name, [403, 403, 403]])
    expect((await evil.get('/api/admin/memorials')).body).toEqual({
      message: 'You may not do this',
      code: 'forbidden',
    })
  }
  expect(await statusesFor(new Client())).toEqual([401, 401, 401])
})

test('the role admits, whatever the address, once the address is confirmed', async () => {
  const admin = await signedIn({ admin: true, email: `rudo@${randomBase32(8)}.test` })
  expect(await statusesFor(admin)).toEqual([200, 200, 200])
  await testCtx().db.update(users).set({ emailVerifiedAt: null }).where(eq(users.id, admin.user.id))
  expect(await statusesFor(admin)).toEqual([403, 403, 403])
})

test('the list shows a memorial with its owner and payment, and finds it by name, slug, owner and address', async () => {
  const admin = await signedIn({ admin: true })
  const key = randomBase32(8)
  const owner = await signedIn({ email: `${key}@family.test`, firstName: `F${key}` })
  const memorialId = await draftOf(owner, `Ambuya ${key}`)
  const creditId = await paidCredit(owner.user.id)
  await testCtx().db.update(payments).set({ memorialId }).where(eq(payments.id, creditId))
  const [row] = await testCtx().db.select().from(memorials).where(eq(memorials.id, memorialId))
  const expected = {
    id: memorialId,
    ownerId: owner.user.id,
    slug: row?.slug,
    title: null,
    honoureeFullName: `Ambuya ${key}`,
    dateOfBirth: null,
    dateOfDeath: null,
    coverMediaId: null,
    profileMediaId: null,
    lifeStory: null,
    status: 'DRAFT',
    privacy: 'PRIVATE',
    lockedAt: null,
    showLocation: false,
    allowSearchEngines: false,
    isPaid: true,
    createdAt: expect.stringMatching(/Z$/u),
    updatedAt: expect.stringMatching(/Z$/u),
    owner: { email: `${key}@family.test` },
    payment: { status: 'PAID' },
  }
  for (const search of [`Ambuya ${key}`, row?.slug, `f${key} moyo`, `${key.toUpperCase()}@family`]) {
    const { body } = await admin.get<AdminMemorialPage>(
      `/api/admin/memorials?search=${encodeURIComponent(search ?? '')}`,
    )
    expect([search, body]).toEqual([search, { memorials: [expected], page: 1, pageSize: 20, total: 1 }])
  }
})

test('percent, underscore, backslash and quote are letters in a search, not commands', async () => {
  const admin = await signedIn({ admin: true })
  const key = randomBase32(8)
  const owner = await signedIn()
  for (const name of [`${key} 100%`, `${key} 1000`, `${key} a_b`, `${key} acb`, `${key} \\'`]) {
    await draftOf(owner, name)
  }
  const found = async (text: string) => {
    const { body } = await admin.get<AdminMemorialPage>(
      `/api/admin/memorials?search=${encodeURIComponent(`${key} ${text}`)}`,
    )
    return body.memorials.map((memorial) => memorial.honoureeFullName)
  }
  expect(await found('100%')).toEqual([`${key} 100%`])
  expect(await found('a_b')).toEqual([`${key} a_b`])
  expect(await found("\\'")).toEqual([`${key} \\'`])
  expect(await found('%')).toEqual([])
})

test('a search may be longer than a LIKE pattern may be in D1', async () => {
  const admin = await signedIn({ admin: true })
  const owner = await signedIn()
  const name = `${randomBase32(8)} ${'Chokwadi '.repeat(9)}Moyo`
  await draftOf(owner, name)
  const search = async (text: string) =>
    (await admin.get<AdminMemorialPage>(`/api/admin/memorials?search=${encodeURIComponent(text)}`)).body.total
  expect([await search(name.toUpperCase()), await search('x'.repeat(200))]).toEqual([1, 0])
})

test('pages hold 20, newest first, and a page that is no number is refused', async () => {
  const admin = await signedIn({ admin: true })
  const key = randomBase32(8)
  const owner = await signedIn()
  for (let i = 0; i < 22; i += 1) {
    const id = await draftOf(owner, `${key} ${i}`)
    await testCtx().db.update(memorials).set({ createdAt: i }).where(eq(memorials.id, id))
  }
  const page = async (number: number) =>
    (await admin.get<AdminMemorialPage>(`/api/admin/memorials?page=${number}&search=${key}`)).body
  const [first, second] = [await page(1), await page(2)]
  expect([first.memorials.length, first.total, first.memorials[0]?.honoureeFullName]).toEqual([
    20,
    22,
    `${key} 21`,
  ])
  expect(second.memorials.map(({ honoureeFullName }) => honoureeFullName)).toEqual([`${key} 1`, `${key} 0`])
  expect((await admin.get('/api/admin/memorials?page=0')).status).toBe(400)
  expect((await admin.get('/api/admin/memorials?page=x')).status).toBe(400)
})

test('counts tell what is there', async () => {
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

test('behind Cloudflare Access an admin also needs its assertion, signed by it, for us, in time', async () => {
  const team = `${randomBase32(8)}.cloudflareaccess.com`
  const audience = randomBase32(16)
  const [theirs, forged] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')]
  const jwk = { ...(await exportJWK(theirs.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
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
    await sign(theirs.privateKey),
    null,
    'nonsense',
    unsigned.replaceAll('=', ''),
    await sign(forged.privateKey),
    await sign(theirs.privateKey, { audience: 'another application' }),
    await sign(theirs.privateKey, { issuer: 'https://evil.cloudflareaccess.com' }),
    await sign(theirs.privateKey, { expires: '-1m' }),
  ]
  const access = { ACCESS_TEAM_DOMAIN: team, ACCESS_AUD: audience }
  const admin = await signedIn({ admin: true })
  for (const path of CALLS) {
    const statuses: number[] = []
    for (const assertion of assertions) {
      const headers: Record<string, string> = assertion ? { 'Cf-Access-Jwt-Assertion': assertion } : {}
      statuses.push((await callWith(access, 'GET', path, admin, headers)).status)
    }
    expect([path, statuses]).toEqual([path, [200, 403, 403, 403, 403, 403, 403, 403]])
  }
  expect(keySet.mock.calls.map(([url]) => url)).toEqual([`https://${team}/cdn-cgi/access/certs`])
  const headers = { 'Cf-Access-Jwt-Assertion': assertions[0] ?? '' }
  expect(await callWith(access, 'GET', CALLS[0] ?? '', await signedIn(), headers)).toEqual({
    status: 403,
    code: 'forbidden',
  })
})

test('half of the Access settings closes the console and says why', async () => {
  const admin = await signedIn({ admin: true })
  const answer = await callWith({ ACCESS_AUD: 'aud' }, 'GET', '/api/admin/stats', admin)
  expect(answer).toEqual({ status: 503, code: 'not_available' })
  expect(takeErrorLines().join()).toContain('must be set together')
})
