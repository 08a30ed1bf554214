import { expect, test } from 'vitest'
import { CONFIRMED_FOR_MS, PASSKEYS_MAX } from '#shared/limits.ts'
import { purgeAccount } from '#worker/features/removal/removal.jobs.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { passkeys } from '#worker/schema/passkeys.table.ts'
import { Authenticator } from '../../../../test/worker/authenticator.ts'
import { confirmed, PASSWORD } from '../../../../test/worker/accounts.ts'
import { Client, paidCredit, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf, receivedBy } from '../../../../test/worker/mailbox.ts'
import { confirmedAgo, passkeyOf, prepare, signInWith } from '../../../../test/worker/passkeys.ts'
import { atOnce, statusesOf } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const UNKNOWN = {
  code: 'invalid_credentials',
  message: 'We don’t know this passkey. Please sign in with your password, or with another passkey.',
}
const CONFIRM = {
  code: 'confirmation_needed',
  message: 'Please confirm that it’s you first, with your password or a passkey.',
}
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u) as string
const CHROME = 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36'

const keysOf = async (client: Client) => (await client.get('/api/account/keys')).body

test('a passkey is added, listed, mailed about, and signs in without an address', async () => {
  const owner = await signedIn()
  await confirmedAgo(owner)
  const authenticator = new Authenticator()
  const asked = await prepare(owner)
  expect(asked).toEqual({
    challenge: expect.stringMatching(/^[\w-]{43}$/u),
    rp: { id: 'localhost', name: 'Keeping Legacies Alive' },
    user: {
      id: btoa(owner.user.id).replaceAll('=', ''),
      name: owner.user.email,
      displayName: 'Rudo Moyo',
    },
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
    timeout: 300_000,
    excludeCredentials: [],
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
  })
  const headers = { 'User-Agent': CHROME }
  const added = await owner.post('/api/account/passkeys', await authenticator.create(asked), { headers })
  const passkey = {
    id: expect.stringMatching(/^pky_\w{20}$/u),
    name: 'Chrome on Android',
    addedAt: INSTANT,
    lastUsedAt: null,
  }
  expect([added.status, added.body]).toEqual([
    201,
    { message: 'Your passkey is ready. You can sign in with it from now on.', passkey },
  ])
  const [mail] = await mailboxOf(owner.user.email, 1)
  expect([mail?.subject, mail?.text.includes('A passkey was added to your account on')]).toEqual([
    'A passkey was added',
    true,
  ])
  expect((await prepare(owner)).excludeCredentials).toEqual([
    { type: 'public-key', id: authenticator.id, transports: ['internal'] },
  ])

  const phone = new Client()
  const { status, body } = await signInWith(phone, authenticator)
  expect([status, body]).toEqual([
    200,
    { message: 'Welcome back! You have been logged in successfully.', user: owner.user },
  ])
  expect((await phone.get('/api/auth/user')).body).toEqual(owner.user)
  // As after a password: a known device, and a line in the list of sessions.
  expect([...phone.cookies.keys()]).toContain(`device-${owner.user.id}`)
  expect((await owner.get('/api/account/sessions')).body.sessions.length).toBe(2)
  expect(await keysOf(phone)).toEqual({
    passkeys: [{ ...passkey, lastUsedAt: INSTANT }],
    printedCodes: null,
    authenticator: null,
    missing: null,
  })
})

test('a passkey that is removed no longer signs in', { tags: ['remove-own-passkey'] }, async () => {
  const owner = await signedIn()
  const stranger = await signedIn()
  const { authenticator, passkey } = await passkeyOf(owner)
  const path = `/api/account/passkeys/${passkey.id}`
  await confirmedAgo(stranger)
  const refused = await stranger.delete(path)
  expect([refused.status, refused.body.code]).toEqual([404, 'not_found'])
  expect((await signInWith(new Client(), authenticator)).status).toBe(200)

  const removals = await atOnce(3, () => owner.delete(path))
  expect(statusesOf(removals)).toEqual([200, 404, 404])
  const answer = await signInWith(new Client(), authenticator)
  expect([answer.status, answer.body]).toEqual([401, UNKNOWN])
  const subjects = (await mailboxOf(owner.user.email, 2)).map(({ subject }) => subject)
  expect(subjects.toSorted()).toEqual(['A passkey was added', 'A passkey was removed'])
  expect(await receivedBy(stranger.user.email)).toEqual([])
})

test('only its owner renames a passkey', { tags: ['rename-own-passkey'] }, async () => {
  const owner = await signedIn()
  const stranger = await signedIn()
  const { passkey } = await passkeyOf(owner)
  const path = `/api/account/passkeys/${passkey.id}`
  expect((await stranger.patch(path, { name: 'Mine' })).status).toBe(404)
  expect((await owner.patch(path, { name: '  ' })).body.fields).toEqual({ name: 'Please give it a name' })
  const { body } = await owner.patch(path, { name: ' Rudo’s phone ' })
  expect(body).toEqual({ message: 'The name is saved.', passkey: { ...passkey, name: 'Rudo’s phone' } })
})

test(
  'nothing changes unless the user proved who they are, minutes ago in this session',
  { tags: ['confirmed-in-this-session', 'confirmed-minutes-ago'] },
  async () => {
    const owner = await signedIn()
    const { authenticator, passkey } = await passkeyOf(owner)
    const other = new Client()
    await signInWith(other, authenticator)
    const phone = new Authenticator()
    const made = await phone.create(await prepare(owner))
    const changes = async () => [
      await owner.post('/api/account/passkeys/prepare'),
      await owner.post('/api/account/passkeys', made),
      await owner.delete(`/api/account/passkeys/${passkey.id}`),
    ]
    await confirmedAgo(owner, CONFIRMED_FOR_MS)
    for (const { status, body } of await changes()) expect([status, body]).toEqual([403, CONFIRM])
    expect((await keysOf(owner)).missing).toBe('CONFIRMATION')
    // The other session is another device: what was proved there says nothing about this one.
    expect((await keysOf(other)).missing).toBe(null)
    await confirmedAgo(owner, CONFIRMED_FOR_MS - 60_000)
    expect((await changes()).map(({ status }) => status)).toEqual([200, 400, 200])
  },
)

test('a password confirms, wrong ones are counted', async () => {
  const email = await confirmed()
  const client = new Client()
  await client.post('/api/auth/login', { email, password: PASSWORD })
  // Whoever has just signed in has given it.
  expect((await keysOf(client)).missing).toBe(null)
  await confirmedAgo(client, CONFIRMED_FOR_MS)
  const wrong = await client.post('/api/account/confirm', { password: 'Harare in the rain' })
  expect([wrong.status, wrong.body.fields]).toEqual([400, { password: 'That password is wrong' }])
  expect((await keysOf(client)).missing).toBe('CONFIRMATION')
  const right = await client.post('/api/account/confirm', { password: PASSWORD })
  expect([right.status, right.body]).toEqual([
    200,
    { message: 'Thank you. You can change things here for the next 5 minutes.' },
  ])
  expect((await keysOf(client)).missing).toBe(null)
  const tries = await atOnce(15, () =>
    client.post('/api/account/confirm', { password: 'Harare in the rain' }),
  )
  expect(tries.filter(({ status }) => status === 400).length).toBe(9)
})

test('only a passkey of one’s own confirms', { tags: ['confirm-by-own-passkey'] }, async () => {
  const owner = await signedIn()
  const stranger = await signedIn()
  const { authenticator } = await passkeyOf(owner)
  const { authenticator: foreign } = await passkeyOf(stranger)
  await confirmedAgo(owner, CONFIRMED_FOR_MS)
  const ask = async () => (await owner.post('/api/account/confirm/passkey-request')).body
  const asked = await ask()
  expect(asked.allowCredentials).toEqual([
    { type: 'public-key', id: authenticator.id, transports: ['internal'] },
  ])
  const refused = await owner.post('/api/account/confirm/passkey', await foreign.get(asked))
  expect([refused.status, refused.body.message]).toEqual([
    400,
    'This isn’t a passkey of your account. Please use another one, or your password.',
  ])
  expect((await keysOf(owner)).missing).toBe('CONFIRMATION')
  await owner.post('/api/account/confirm/passkey', await authenticator.get(await ask()))
  expect((await keysOf(owner)).missing).toBe(null)
})

test('an account has ten passkeys at most, also when they come at once', async () => {
  const owner = await signedIn()
  for (let n = 1; n < PASSKEYS_MAX; n++) await passkeyOf(owner)
  const browsers = await atOnce(3, async () => {
    const browser = new Client()
    browser.cookies.set('session', owner.cookies.get('session') ?? '')
    return { browser, made: await new Authenticator().create(await prepare(browser)) }
  })
  const answers = await atOnce(3, (n) => {
    const { browser, made } = browsers[n]!
    return browser.post('/api/account/passkeys', made)
  })
  expect(statusesOf(answers)).toEqual([201, 409, 409])
  const more = await owner.post('/api/account/passkeys/prepare')
  expect([more.status, more.body.message]).toEqual([409, 'You have ten passkeys. Please remove one first.'])
})

test('a passkey belongs to one account', async () => {
  const owner = await signedIn()
  const stranger = await signedIn()
  const { authenticator } = await passkeyOf(owner)
  await confirmedAgo(stranger)
  const again = await stranger.post(
    '/api/account/passkeys',
    await authenticator.create(await prepare(stranger)),
  )
  expect([again.status, again.body.message]).toEqual([409, 'This passkey is already in use.'])
  const rows = await rowsOf(passkeys, { credentialId: authenticator.id })
  expect(rows.map(({ userId }) => userId)).toEqual([owner.user.id])
})

test('passkeys end with the account, also where a payment keeps its row', async () => {
  const owner = await signedIn()
  const { id } = owner.user
  await paidCredit(id)
  await passkeyOf(owner)
  await changeRows(users, { id }, { deletedAt: 1 })
  await purgeAccount(testCtx(), id)
  expect((await rowsOf(users, { id })).map(({ email }) => email)).toEqual([id])
  expect(await rowsOf(passkeys, { userId: id })).toEqual([])
})

test('the copy of a user’s data names passkeys, without what belongs to their keys', async () => {
  const owner = await signedIn()
  const { authenticator } = await passkeyOf(owner)
  const { body } = await owner.get('/api/account/export')
  expect(body.passkeys).toEqual([{ name: 'Passkey', addedAt: INSTANT, lastUsedAt: null }])
  expect(JSON.stringify(body)).not.toContain(authenticator.id)
})
