import { expect, test } from 'vitest'
import { CHALLENGE_EXPIRES_MS, DAY_MS } from '#shared/limits.ts'
import { linkToken } from '#worker/access/pepper.ts'
import { removeUnverifiedAccounts } from '#worker/features/accounts/accounts.jobs.ts'
import { newToken } from '#worker/platform/random.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { passkeys, usedChallenges } from '#worker/schema/passkeys.table.ts'
import { Authenticator } from '../../../../test/worker/authenticator.ts'
import { Client, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import {
  askToSignIn,
  confirmedAgo,
  passkeyOf,
  prepare,
  signInWith,
} from '../../../../test/worker/passkeys.ts'
import { atOnce, statusesOf } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const UNKNOWN = 'We don’t know this passkey. Please sign in with your password, or with another passkey.'
const TOO_SLOW = 'That took too long, or was answered twice. Please try again.'

/** A copy of a browser: its cookies as they are now. */
function copyOf(client: Client): Client {
  const copy = new Client()
  for (const [name, value] of client.cookies) copy.cookies.set(name, value)
  return copy
}
const said = ({ status, body }: { status: number; body: { message: string } }) => [status, body.message]

test.each([
  ['another site', { origin: 'https://nhaka.evil.test' }],
  ['another host', { rpId: 'evil.test' }],
  ['a device that didn’t check who is there', { isVerified: false }],
  ['another challenge', { challenge: 'A'.repeat(43) }],
])('an answer of %s neither signs in nor adds a passkey', async (_, options) => {
  const owner = await signedIn()
  const { authenticator } = await passkeyOf(owner)
  const client = new Client()
  const asked = await askToSignIn(client)
  const answer = await client.post('/api/auth/passkey', await authenticator.get(asked, options))
  expect(said(answer)).toEqual([401, UNKNOWN])
  const made = await new Authenticator().create(await prepare(owner), options)
  const added = await owner.post('/api/account/passkeys', made)
  expect(said(added)).toEqual([
    400,
    'The passkey couldn’t be checked. Please try again, or use another device.',
  ])
})

test('a passkey is asked for in the same way whoever asks', async () => {
  expect(await askToSignIn(new Client())).toEqual({
    challenge: expect.stringMatching(/^[\w-]{43}$/u),
    rpId: 'localhost',
    timeout: 300_000,
    allowCredentials: [],
    userVerification: 'required',
  })
})

test('a signature of another key, and another account’s handle, don’t sign in', async () => {
  const owner = await signedIn()
  const stranger = await signedIn()
  const { authenticator } = await passkeyOf(owner)
  const { authenticator: foreign } = await passkeyOf(stranger)
  const client = new Client()
  const forged = await foreign.get(await askToSignIn(client))
  const { id } = authenticator
  const asOwner = { ...forged.credential, id, rawId: id }
  expect(said(await client.post('/api/auth/passkey', { credential: asOwner }))).toEqual([401, UNKNOWN])
  authenticator.userHandle = foreign.userHandle
  expect(said(await signInWith(client, authenticator))).toEqual([401, UNKNOWN])
})

test(
  'a challenge counts once, also when its answer comes ten times at once',
  { tags: ['challenge-once'] },
  async () => {
    const { authenticator } = await passkeyOf(await signedIn())
    // One that doesn't count, so that only the challenge tells the answers apart.
    authenticator.counts = false
    authenticator.counter = 0
    await changeRows(passkeys, { credentialId: authenticator.id }, { counter: 0 })
    const client = new Client()
    const answer = await authenticator.get(await askToSignIn(client))
    const answers = await atOnce(10, () => copyOf(client).post('/api/auth/passkey', answer))
    expect(statusesOf(answers)).toEqual([200, ...Array<number>(9).fill(400)])
    expect(said(await client.post('/api/auth/passkey', answer))).toEqual([400, TOO_SLOW])
    expect((await signInWith(client, authenticator)).status).toBe(200)
  },
)

test('an answer adds one passkey', { tags: ['new-passkey-once'] }, async () => {
  const owner = await signedIn()
  await confirmedAgo(owner)
  const authenticator = new Authenticator()
  const made = await authenticator.create(await prepare(owner))
  await owner.post('/api/account/passkeys', made)
  const [first] = await rowsOf(passkeys, { userId: owner.user.id })
  await owner.delete(`/api/account/passkeys/${first?.id}`)
  expect((await owner.post('/api/account/passkeys', made)).status).toBe(409)
  expect(await rowsOf(passkeys, { userId: owner.user.id })).toEqual([])
})

test('a challenge counts in the browser that asked for it', { tags: ['challenge-signed'] }, async () => {
  const { authenticator } = await passkeyOf(await signedIn())
  const client = new Client()
  const answer = await authenticator.get(await askToSignIn(client))
  expect(said(await new Client().post('/api/auth/passkey', answer))).toEqual([400, TOO_SLOW])
  const forger = new Client()
  const challenge = newToken()
  const until = Date.now() + CHALLENGE_EXPIRES_MS
  forger.cookies.set('passkey', `${challenge}.${until}.${newToken()}`)
  const asked = { ...(await askToSignIn(client)), challenge }
  const forged = await authenticator.get(asked)
  expect(said(await forger.post('/api/auth/passkey', forged))).toEqual([400, TOO_SLOW])
})

test(
  'an answer to one question is none to another, nor for another account',
  { tags: ['challenge-for-one-user'] },
  async () => {
    const owner = await signedIn()
    const stranger = await signedIn()
    const { authenticator } = await passkeyOf(owner)
    const { authenticator: foreign } = await passkeyOf(stranger)
    const ask = async () => (await owner.post('/api/account/confirm/passkey-request')).body
    const answer = await authenticator.get(await ask())
    expect(said(await owner.post('/api/auth/passkey', answer))).toEqual([400, TOO_SLOW])
    // The stranger's own answer, to what the owner was asked.
    const lent = await foreign.get(await ask())
    stranger.cookies.set('passkey', owner.cookies.get('passkey') ?? '')
    expect(said(await stranger.post('/api/account/confirm/passkey', lent))).toEqual([400, TOO_SLOW])
    const signInAnswer = await authenticator.get(await askToSignIn(owner))
    expect(said(await owner.post('/api/account/confirm/passkey', signInAnswer))).toEqual([400, TOO_SLOW])
  },
)

test('a challenge lives for five minutes', { tags: ['challenge-expires'] }, async () => {
  const { authenticator } = await passkeyOf(await signedIn())
  const asked = await askToSignIn(new Client())
  const signInAt = async (expiresAt: number) => {
    const client = new Client()
    const challenge = newToken()
    const signature = linkToken(testCtx(), 'challenge', 'sign-in', '', challenge, expiresAt)
    client.cookies.set('passkey', `${challenge}.${expiresAt}.${signature}`)
    return client.post('/api/auth/passkey', await authenticator.get({ ...asked, challenge }))
  }
  expect(said(await signInAt(Date.now() - 1))).toEqual([400, TOO_SLOW])
  expect((await signInAt(Date.now() + 60_000)).status).toBe(200)
})

test('a passkey that counts backwards doesn’t sign in: two devices have it', async () => {
  const { authenticator } = await passkeyOf(await signedIn())
  authenticator.counter = 7
  expect((await signInWith(new Client(), authenticator)).status).toBe(200)
  const client = new Client()
  for (const counter of [8, 3, 0]) {
    const answer = await authenticator.get(await askToSignIn(client), { counter })
    expect(said(await client.post('/api/auth/passkey', answer))).toEqual([401, UNKNOWN])
  }
  authenticator.counter = 8
  expect((await signInWith(client, authenticator)).status).toBe(200)
})

test(
  'of two devices that count the same at once, one signs in',
  { tags: ['passkey-counts-on'] },
  async () => {
    const { authenticator } = await passkeyOf(await signedIn())
    const answers = await Promise.all(
      [1, 2, 3].map(async () => {
        const client = new Client()
        return { client, answer: await authenticator.get(await askToSignIn(client), { counter: 20 }) }
      }),
    )
    const signedInAs = await Promise.all(
      answers.map(async ({ client, answer }) => (await client.post('/api/auth/passkey', answer)).status),
    )
    expect(signedInAs.filter((status) => status === 200).length).toBe(1)
  },
)

test('a suspended account stays closed, one that was deleted comes back', async () => {
  const owner = await signedIn()
  const { authenticator } = await passkeyOf(owner)
  const { id } = owner.user
  await changeRows(users, { id }, { suspendedAt: Date.now() })
  const suspended = await signInWith(new Client(), authenticator)
  expect([suspended.status, suspended.body.code]).toEqual([403, 'account_suspended'])
  await changeRows(users, { id }, { suspendedAt: null, deletedAt: Date.now() - DAY_MS })
  expect(said(await signInWith(new Client(), authenticator))).toEqual([
    200,
    'Welcome back. Your account is here again, and your memorials are as they were.',
  ])
  await changeRows(users, { id }, { deletedAt: Date.now() - 31 * DAY_MS })
  expect(said(await signInWith(new Client(), authenticator))).toEqual([401, UNKNOWN])
})

test('answered challenges are forgotten when they would have expired', async () => {
  const { authenticator } = await passkeyOf(await signedIn())
  await signInWith(new Client(), authenticator)
  await removeUnverifiedAccounts(testCtx())
  expect((await rowsOf(usedChallenges, {})).length).toBeGreaterThan(1)
  await removeUnverifiedAccounts(testCtx(() => Date.now() + CHALLENGE_EXPIRES_MS))
  expect(await rowsOf(usedChallenges, {})).toEqual([])
})
