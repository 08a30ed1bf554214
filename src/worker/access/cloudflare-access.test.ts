import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { expect, test, vi } from 'vitest'
import { api } from '#shared/api.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { signedIn, type SignedIn } from '../../../test/worker/harness.ts'
import { callWith } from '../../../test/worker/runtime/worker-with.ts'

type Keys = Awaited<ReturnType<typeof generateKeyPair>>
type Team = {
  issuer: string
  audience: string
  keys: Keys
  settings: object
  asked: string[]
  signals: unknown[]
}

/** A Cloudflare Access team with one key; `answer` replaces the response of its key set URL. */
async function teamOf(answer?: () => Promise<Response>): Promise<Team> {
  vi.spyOn(console, 'warn').mockImplementation(() => {})
  const team = `${randomBase32(8)}.cloudflareaccess.com`
  const audience = randomBase32(16)
  const keys = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
  const asked: string[] = []
  const signals: unknown[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    asked.push(new Request(url).url)
    signals.push(init?.signal)
    return answer ? answer() : Response.json({ keys: [jwk] })
  })
  // Without Paynow: the System tab would ask it, and get keys.
  const settings = { ACCESS_TEAM_DOMAIN: team, ACCESS_AUD: audience, PAYNOW_INTEGRATION_ID: '' }
  return { issuer: `https://${team}`, audience, keys, settings, asked, signals }
}

type Change = { header?: object; claims?: Record<string, unknown>; key?: CryptoKey | Uint8Array }

/** An assertion as Access signs it, with changes; a claim with the value undefined is left out. */
async function signed(
  { issuer, audience, keys }: Team,
  { header, claims, key }: Change = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const usual = { iss: issuer, aud: audience, iat: now, exp: now + 300, email: 'rudo@family.test' }
  const payload = { ...usual, ...claims }
  return new SignJWT(JSON.parse(JSON.stringify(payload)))
    .setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header })
    .sign(key ?? keys.privateKey)
}

async function statusOf({ settings }: Team, admin: SignedIn, assertion: string): Promise<number> {
  const headers = { 'Cf-Access-Jwt-Assertion': assertion }
  return (await callWith(settings, 'GET', '/api/admin/stats', admin, headers)).status
}

test(
  'every invalid assertion is refused, whatever key and algorithm it names',
  { tags: ['access-jwt-issuer', 'access-jwt-audience', 'access-jwt-expiry'] },
  async () => {
    const team = await teamOf()
    const admin = await signedIn({ admin: true })
    expect(await statusOf(team, admin, await signed(team))).toBe(200)

    const now = Math.floor(Date.now() / 1000)
    const publicPem = new TextEncoder().encode(await exportSPKI(team.keys.publicKey))
    const publicJwk = await exportJWK(team.keys.publicKey)
    const attacker = await generateKeyPair('RS256', { extractable: true })
    const attackerJwk = await exportJWK(attacker.publicKey)
    const byAttacker = (header: object) => signed(team, { header, key: attacker.privateKey })
    const es = await generateKeyPair('ES256')
    const pss = await generateKeyPair('PS256')
    const right = await signed(team)
    const [head = '', body = '', signature = ''] = right.split('.')
    const unsecured = new UnsecuredJWT({ iss: team.issuer, aud: team.audience, exp: now + 300 }).encode()
    const withAlg = (alg: string) => btoa(JSON.stringify({ alg, kid: 'k1' })).replaceAll('=', '')
    const refused: Record<string, string> = {
      'alg none': unsecured,
      'alg None': `${withAlg('None')}.${body}.`,
      'alg nOnE with the old signature': `${withAlg('nOnE')}.${body}.${signature}`,
      'HS256 keyed with the public key': await signed(team, { header: { alg: 'HS256' }, key: publicPem }),
      'HS256 keyed with its modulus': await signed(team, {
        header: { alg: 'HS256' },
        key: new TextEncoder().encode(publicJwk.n),
      }),
      'ES256 with another key': await signed(team, { header: { alg: 'ES256' }, key: es.privateKey }),
      'PS256 with another key': await signed(team, { header: { alg: 'PS256' }, key: pss.privateKey }),
      'another key': await byAttacker({}),
      'a key in the header': await byAttacker({ jwk: attackerJwk }),
      'a key set URL in the header': await byAttacker({
        jku: 'https://evil.example/certs',
        x5u: 'https://evil.example/cert',
      }),
      'a key id that is a path': await byAttacker({ kid: '../../../dev/null' }),
      'a key id that is SQL': await byAttacker({ kid: "k1' OR '1'='1" }),
      'a key id that is a prototype': await byAttacker({ kid: '__proto__' }),
      'another application': await signed(team, { claims: { aud: 'another application' } }),
      'other applications': await signed(team, { claims: { aud: ['another', 'application'] } }),
      'no application': await signed(team, { claims: { aud: undefined } }),
      'another team': await signed(team, { claims: { iss: 'https://evil.cloudflareaccess.com' } }),
      'a team with our name as a prefix': await signed(team, {
        claims: { iss: `${team.issuer}.evil.example` },
      }),
      'no team': await signed(team, { claims: { iss: undefined } }),
      expired: await signed(team, { claims: { exp: now - 1 } }),
      'without expiry': await signed(team, { claims: { exp: undefined } }),
      'not valid yet': await signed(team, { claims: { nbf: now + 300 } }),
      'a text as expiry': await signed(team, { claims: { exp: 'tomorrow' } }),
      'a changed body': `${head}.${body.slice(0, -2)}AA.${signature}`,
      'no signature': `${head}.${body}.`,
      'two parts': `${head}.${body}`,
      'five parts': `${right}.x.y`,
      'not a token': 'nonsense',
      'very long': 'x'.repeat(7000),
    }
    const answers: Record<string, number> = {}
    for (const [name, assertion] of Object.entries(refused)) {
      answers[name] = await statusOf(team, admin, assertion)
    }
    expect(answers).toEqual(Object.fromEntries(Object.keys(refused).map((name) => [name, 403])))
    expect(new Set(team.asked)).toEqual(new Set([`${team.issuer}/cdn-cgi/access/certs`]))
  },
)

test.each([
  ['cannot connect', () => Promise.reject(new TypeError('connection refused'))],
  ['returns an error', async () => new Response('no', { status: 500 })],
  ['returns no JSON', async () => new Response('<html>')],
  ['returns no keys', async () => Response.json({ keys: [] })],
  ['times out', () => Promise.reject(new DOMException('too late', 'TimeoutError'))],
])('everyone is refused if the key set request %s', async (_, answer) => {
  const team = await teamOf(answer)
  const admin = await signedIn({ admin: true })
  expect(await statusOf(team, admin, await signed(team))).toBe(403)
  // The request has its own timeout, so that a hanging key set can't block the console.
  expect(team.signals[0]).toBeInstanceOf(AbortSignal)
})

test('with Cloudflare Access every console call needs a valid assertion', async () => {
  const team = await teamOf()
  const admin = await signedIn({ admin: true })
  const forged = await signed(team, { key: (await generateKeyPair('RS256')).privateKey })
  const right = { 'Cf-Access-Jwt-Assertion': await signed(team) }
  const calls = Object.values(api).filter(({ path }) => path.startsWith('/api/admin'))
  for (const { method, path: pattern, status } of calls) {
    const path = pattern.replace(':id', 'nothing')
    // The only one that needs a body.
    const answered = path === api.saveWord.path && method === 'POST' ? 400 : status
    const statuses: number[] = []
    for (const headers of [right, {}, { 'Cf-Access-Jwt-Assertion': forged }]) {
      statuses.push((await callWith(team.settings, method, path, admin, headers)).status)
    }
    expect([method, path, statuses]).toEqual([method, path, [path === pattern ? answered : 404, 403, 403]])
  }
  const keySet = `${team.issuer}/cdn-cgi/access/certs`
  expect(team.asked.filter((url) => url.startsWith(team.issuer))).toEqual([keySet])
})

test('an assertion alone gives no access without a session of an admin', async () => {
  const team = await teamOf()
  const headers = { 'Cf-Access-Jwt-Assertion': await signed(team) }
  expect((await callWith(team.settings, 'GET', '/api/admin/stats', null, headers)).status).toBe(401)
  const statusFor = async (client: SignedIn) =>
    (await callWith(team.settings, 'GET', '/api/admin/stats', client, headers)).status
  expect(await statusFor(await signedIn())).toBe(403)
  const asSession = await signedIn()
  asSession.cookies.set('session', headers['Cf-Access-Jwt-Assertion'])
  expect((await asSession.get('/api/auth/user')).status).toBe(401)
})
