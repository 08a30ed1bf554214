import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { api } from '#shared/api.ts'
import { CONSOLE_OPEN_MS } from '#shared/limits.ts'
import { createSession } from '#worker/access/sessions.ts'
import { codeAt, fromBase32, stepAt } from '#worker/features/passkeys/totp.ts'
import { sessions, users } from '#worker/schema/accounts.table.ts'
import { authenticators } from '#worker/schema/passkeys.table.ts'
import {
  Client,
  memorialOf,
  ORIGIN,
  signedIn,
  testCtx,
  type SignedIn,
} from '../../../../test/worker/harness.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import {
  askToSignIn,
  confirmedAgo,
  passkeyOf,
  sessionHashOf,
  signInWith,
} from '../../../../test/worker/passkeys.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { atOnce, statusesOf } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const NEEDED = {
  code: 'second_factor_needed',
  message: 'Please use your passkey or authenticator app in this session first.',
}
const WRONG = 'That code isn’t right, or was used already. Please wait for the next one.'
const STATS = '/api/admin/stats'

/** An admin without a second factor. */
async function newAdmin(): Promise<SignedIn> {
  const client = await signedIn()
  await changeRows(users, { id: client.user.id }, { role: 'ADMIN' })
  return client
}

/** Another session of the same account, which has proved nothing. */
async function otherSession(admin: SignedIn): Promise<Client> {
  const headers = new Headers()
  await createSession(testCtx(), new Request(ORIGIN), headers, { id: admin.user.id, sessionEpoch: 0 })
  const client = new Client()
  for (const cookie of headers.getSetCookie()) {
    const [pair = ''] = cookie.split(';')
    client.cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
  }
  return client
}

/** Sets up an app with the code of `offset` steps from now. Returns its secret. */
async function appOf(admin: Client, offset = 0): Promise<Uint8Array> {
  await confirmedAgo(admin)
  const { status, body } = await admin.post('/api/account/authenticator/prepare')
  if (status !== 200) throw new Error(`no secret: ${JSON.stringify(body)}`)
  const secret = fromBase32(body.secret)
  const added = await admin.post('/api/account/authenticator', { code: codeIn(secret, offset) })
  if (added.status !== 201) throw new Error(`no app: ${JSON.stringify(added.body)}`)
  return secret
}
const codeIn = (secret: Uint8Array, offset = 0) => codeAt(secret, stepAt(Date.now()) + offset)
const useCode = (client: Client, code: string) => client.post('/api/account/second-factor', { code })
const statusOf = async (client: Client) => (await client.get(STATS)).status

test(
  'an admin without a second factor opens neither the console nor others’ memorials',
  { tags: ['console-needs-second-factor'] },
  async () => {
    const admin = await newAdmin()
    const calls = Object.values(api).filter(({ path }) => path.startsWith('/api/admin/'))
    for (const { method, path } of calls) {
      const { status, body } = await admin.call(
        method,
        path.replaceAll(/:\w+/gu, 'x'),
        method === 'GET' ? undefined : {},
      )
      expect([path, status, body]).toEqual([path, 403, NEEDED])
    }
    const { path } = await memorialOf({ privacy: 'PRIVATE' })
    expect((await admin.get(path)).body.code).toBe('memorial_private')
    // They still see what they are, so that the console can say what to do.
    expect((await admin.get('/api/auth/user')).body).toEqual({ ...admin.user, isAdmin: true })

    await appOf(admin)
    expect((await admin.get(STATS)).status).toBe(200)
    expect((await admin.get(path)).status).toBe(200)
  },
)

test('an app is set up by a first code, and the account is told', async () => {
  const admin = await newAdmin()
  await confirmedAgo(admin)
  const prepared = await admin.post('/api/account/authenticator/prepare')
  expect(prepared.body).toEqual({
    secret: expect.stringMatching(/^[A-Z2-7]{32}$/u),
    qrSvg: expect.stringContaining('<svg'),
  })
  const secret = fromBase32(prepared.body.secret)
  const wrong = await admin.post('/api/account/authenticator', { code: codeIn(secret, 9) })
  expect([wrong.status, wrong.body.message]).toEqual([400, WRONG])
  // Another browser was offered nothing.
  const elsewhere = await otherSession(admin)
  await confirmedAgo(elsewhere)
  const lost = await elsewhere.post('/api/account/authenticator', { code: codeIn(secret) })
  expect([lost.status, lost.body.message]).toEqual([
    400,
    'That took too long, or was answered twice. Please try again.',
  ])
  const code = codeIn(secret)
  const added = await admin.post('/api/account/authenticator', {
    code: `${code.slice(0, 3)} ${code.slice(3)}`,
  })
  expect([added.status, added.body]).toEqual([201, { message: 'Your authenticator app is set up.' }])
  const [mail] = await mailboxOf(admin.user.email, 1)
  expect(mail?.subject).toBe('An authenticator app was added')
  const [row] = await rowsOf(authenticators, { userId: admin.user.id })
  expect(row?.secret).not.toContain(prepared.body.secret)
  expect(Buffer.from(row?.secret ?? '', 'base64url').includes(Buffer.from(secret))).toBe(false)
})

test(
  'a second factor counts in the session in which it was used, for twelve hours',
  { tags: ['second-factor-of-session', 'second-factor-today'] },
  async () => {
    const admin = await newAdmin()
    const secret = await appOf(admin, -1)
    const other = await otherSession(admin)
    expect([await statusOf(admin), await statusOf(other)]).toEqual([200, 403])
    const used = await useCode(other, codeIn(secret))
    expect([used.status, used.body]).toEqual([200, { message: 'Thank you. The console is open.' }])
    expect(await statusOf(other)).toBe(200)
    const at = Date.now() - CONSOLE_OPEN_MS
    await changeRows(sessions, { sessionHash: sessionHashOf(admin) }, { secondFactorAt: at })
    expect([await statusOf(admin), await statusOf(other)]).toEqual([403, 200])
  },
)

test('a code counts once, also in ten sessions at once', { tags: ['authenticator-code-once'] }, async () => {
  const admin = await newAdmin()
  const secret = await appOf(admin, -1)
  const code = codeIn(secret)
  const others = await atOnce(4, () => otherSession(admin))
  const answers = await Promise.all(others.map((client) => useCode(client, code)))
  expect(statusesOf(answers)).toEqual([200, 400, 400, 400])
  // Nor an earlier one after it.
  const earlier = await useCode(await otherSession(admin), codeIn(secret, -1))
  expect([earlier.status, earlier.body.fields]).toEqual([400, { code: WRONG }])
})

test('five wrong codes in 15 minutes are looked at', async () => {
  const admin = await newAdmin()
  const secret = await appOf(admin, -1)
  const answers = await atOnce(8, () => useCode(admin, codeIn(secret, 40)))
  expect(statusesOf(answers)).toEqual([400, 400, 400, 400, 400, 429, 429, 429])
  expect((await useCode(admin, codeIn(secret))).status).toBe(429)
})

test('a passkey opens the console, at sign-in and later', async () => {
  const admin = await newAdmin()
  const { authenticator, passkey } = await passkeyOf(admin)
  expect(await statusOf(admin)).toBe(200)
  const phone = new Client()
  await signInWith(phone, authenticator)
  expect(await statusOf(phone)).toBe(200)
  const other = await otherSession(admin)
  expect(await statusOf(other)).toBe(403)
  const asked = (await other.post('/api/account/confirm/passkey-request')).body
  await other.post('/api/account/confirm/passkey', await authenticator.get(asked))
  expect(await statusOf(other)).toBe(200)
  // Without any factor left, none of these sessions opens it.
  await other.delete(`/api/account/passkeys/${passkey.id}`)
  expect([await statusOf(admin), await statusOf(phone), await statusOf(other)]).toEqual([403, 403, 403])
})

test(
  'the factor of the account is what counts, not one that is gone',
  { tags: ['console-needs-own-factor'] },
  async () => {
    const admin = await newAdmin()
    await appOf(admin)
    expect(await statusOf(admin)).toBe(200)
    const removed = await admin.delete('/api/account/authenticator')
    expect([removed.status, removed.body]).toEqual([200, { message: 'The authenticator app is removed.' }])
    expect(await statusOf(admin)).toBe(403)
    await confirmedAgo(admin)
    expect((await admin.delete('/api/account/authenticator')).status).toBe(404)
    const subjects = (await mailboxOf(admin.user.email, 2)).map(({ subject }) => subject)
    expect(subjects.toSorted()).toEqual([
      'An authenticator app was added',
      'The authenticator app was removed',
    ])
  },
)

test(
  'whoever knows an admin’s password adds and removes no second factor',
  { tags: ['admin-factor-guards-factors'] },
  async () => {
    const admin = await newAdmin()
    await appOf(admin)
    const thief = await otherSession(admin)
    await confirmedAgo(thief)
    expect((await thief.get('/api/account/keys')).body.missing).toBe('SECOND_FACTOR')
    for (const [method, path] of [
      ['POST', '/api/account/passkeys/prepare'],
      ['POST', '/api/account/authenticator/prepare'],
      ['DELETE', '/api/account/authenticator'],
      ['POST', '/api/account/printed-codes'],
    ] as const) {
      const { status, body } = await thief.call(method, path, {})
      expect([path, status, body]).toEqual([path, 403, NEEDED])
    }
    expect(await statusOf(thief)).toBe(403)
  },
)

test('who is no admin has no authenticator', async () => {
  const owner = await signedIn()
  await confirmedAgo(owner)
  for (const path of ['/api/account/authenticator/prepare', '/api/account/second-factor']) {
    const { status, body } = await owner.post(path, { code: '123456' })
    expect([path, status, body.code]).toEqual([path, 403, 'forbidden'])
  }
})

test('a new pepper keeps authenticators while the old one is known', async () => {
  const admin = await newAdmin()
  const secret = await appOf(admin, -1)
  const [before] = await rowsOf(authenticators, { userId: admin.user.id })
  admin.bindings = { ...env, PASSWORD_PEPPER: 'another', PASSWORD_PEPPER_OLD: env.PASSWORD_PEPPER! }
  expect((await useCode(admin, codeIn(secret))).status).toBe(200)
  const [after] = await rowsOf(authenticators, { userId: admin.user.id })
  expect(after?.secret).not.toBe(before?.secret)
  admin.bindings = { ...env, PASSWORD_PEPPER: 'another' }
  expect((await useCode(admin, codeIn(secret, 1))).status).toBe(200)
  admin.bindings = { ...env, PASSWORD_PEPPER: 'a third' }
  expect((await useCode(admin, codeIn(secret, 1))).status).toBe(400)
  expect(takeErrorLines().join()).toContain('authenticator_unreadable')
})

test('a challenge of a sign-in is nobody’s second factor', async () => {
  const admin = await newAdmin()
  const { authenticator } = await passkeyOf(admin)
  const other = await otherSession(admin)
  const answer = await authenticator.get(await askToSignIn(other))
  expect((await other.post('/api/account/confirm/passkey', answer)).status).toBe(400)
  expect(await statusOf(other)).toBe(403)
})
