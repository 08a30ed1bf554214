import { eq } from 'drizzle-orm'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { expect, test, vi } from 'vitest'
import { api } from '#shared/api.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { takeErrorLines } from '../../../../test/worker/error-lines.ts'
import { Client, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { callWith } from '../../../../test/worker/worker-with.ts'

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
