import { expect, test } from 'vitest'
import { CONFIRMED_FOR_MS, DAY_MS } from '#shared/limits.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { authenticators, passkeys, printedCodes } from '#worker/schema/passkeys.table.ts'
import { confirmed, newEmail, PASSWORD } from '../../../../test/worker/accounts.ts'
import { Client, signedIn, testCtx, type SignedIn } from '../../../../test/worker/harness.ts'
import { mailboxOf, tokenIn } from '../../../../test/worker/mailbox.ts'
import { confirmedAgo, passkeyOf } from '../../../../test/worker/passkeys.ts'
import { atOnce, inTurn, statusesOf, tenAtOnce } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const NEW_PASSWORD = 'Granite after the rain'
const WRONG = {
  code: 'invalid_credentials',
  message:
    'This address and this code don’t go together, or the code has been used. Please check both, or try another code.',
}

/** An account and its ten codes. */
async function printed(): Promise<{ owner: SignedIn; codes: string[] }> {
  const owner = await signedIn()
  return { owner, codes: await codesOf(owner) }
}
async function codesOf(owner: Client): Promise<string[]> {
  await confirmedAgo(owner)
  return (await owner.post<{ codes: string[] }>('/api/account/printed-codes')).body.codes
}
const use = (email: string, code: string | undefined, password = NEW_PASSWORD, client = new Client()) =>
  client.post('/api/auth/printed-code', { email, code, password })
const leftOf = async (client: Client) => (await client.get('/api/account/keys')).body.printedCodes?.left

test('ten codes are made, shown once, stored as hashes, and mailed about', async () => {
  const owner = await signedIn()
  const refused = await owner.post('/api/account/printed-codes')
  expect([refused.status, refused.body.code]).toEqual([403, 'confirmation_needed'])
  await confirmedAgo(owner)
  const { status, body } = await owner.post('/api/account/printed-codes')
  const code = expect.stringMatching(/^(?:[A-HJKMNP-Z02-9]{4}-){3}[A-HJKMNP-Z02-9]{4}$/u) as string
  expect([status, body]).toEqual([201, { codes: Array<string>(10).fill(code) }])
  expect(new Set(body.codes).size).toBe(10)
  const keys = (await owner.get('/api/account/keys')).body
  expect(keys.printedCodes).toEqual({ left: 10, madeAt: expect.stringMatching(/T/u) })
  const stored = JSON.stringify(await rowsOf(printedCodes, { userId: owner.user.id }))
  const plain = body.codes.map((one: string) => one.replaceAll('-', '').toLowerCase())
  expect(plain.filter((one: string) => stored.includes(one))).toEqual([])
  const [mail] = await mailboxOf(owner.user.email, 1)
  expect([mail?.subject, body.codes.filter((one: string) => mail?.text.includes(one))]).toEqual([
    'New codes were printed',
    [],
  ])
  expect((await owner.get('/api/account/export')).body.printedCodes).toEqual({
    left: 10,
    madeAt: keys.printedCodes.madeAt,
  })
})

test(
  'a code and the address sign in once, set a new password and end other sessions',
  { tags: ['printed-code-once', 'printed-code-ends-sessions'] },
  async () => {
    const { owner, codes } = await printed()
    const { email } = owner.user
    const client = new Client()
    // As people type it.
    const typed = ` ${codes[0]?.toLowerCase().replaceAll('-', ' ')} `
    const { status, body } = await use(email, typed, NEW_PASSWORD, client)
    expect([status, body]).toEqual([
      200,
      { message: 'Welcome back! You have been logged in successfully.', user: owner.user },
    ])
    expect((await owner.get('/api/auth/user')).status).toBe(401)
    expect(await leftOf(client)).toBe(9)
    const login = await new Client().post('/api/auth/login', { email, password: NEW_PASSWORD })
    expect(login.status).toBe(200)
    const again = await use(email, codes[0], 'Harare after the rain')
    expect([again.status, again.body]).toEqual([401, WRONG])
    expect((await use(email, codes[1])).status).toBe(200)
    const subjects = (await mailboxOf(email, 3)).map(({ subject }) => subject)
    expect(subjects.toSorted()).toEqual([
      'A printed code was used',
      'A printed code was used',
      'New codes were printed',
    ])
  },
)

test('of simultaneous uses of a code one counts', { tags: ['printed-code-once'] }, async () => {
  const { owner, codes } = await printed()
  const answers = await atOnce(5, (n) => use(owner.user.email, codes[3], `Granite in the rain ${n}`))
  expect(statusesOf(answers)).toEqual([200, 401, 401, 401, 401])
  expect(await rowsOf(printedCodes, { userId: owner.user.id })).toHaveLength(10)
})

test(
  'a code of another account, an unknown address and a wrong code get one answer',
  { tags: ['printed-code-of-account'] },
  async () => {
    const { owner, codes } = await printed()
    const { codes: foreign } = await printed()
    const answers = [
      await use(owner.user.email, foreign[0]),
      await use(owner.user.email, 'abcd-efgh-jkmn-pqrs'),
      await use(owner.user.email, 'no code at all'),
      await use(newEmail(), codes[0]),
    ]
    for (const { status, body, headers } of answers) {
      expect([status, body]).toEqual([401, WRONG])
      expect(headers.getSetCookie()).toEqual([])
    }
  },
)

test('new codes replace the earlier ones, and a wrong password uses none up', async () => {
  const { owner, codes } = await printed()
  const more = await codesOf(owner)
  expect((await use(owner.user.email, codes[0])).status).toBe(401)
  const common = await use(owner.user.email, more[0], 'password1')
  expect([common.status, Object.keys(common.body.fields)]).toEqual([400, ['password']])
  const own = await use(owner.user.email, more[0], 'rudomoyo')
  expect([own.status, Object.keys(own.body.fields)]).toEqual([400, ['password']])
  expect(await leftOf(owner)).toBe(10)
})

test('wrong codes are counted by account and network, and lock out the guesser', async () => {
  const { owner, codes } = await printed()
  const guesser = new Client()
  const guess = (code: string) => use(owner.user.email, code, NEW_PASSWORD, guesser)
  const answers = await inTurn(12, () => guess('abcd-efgh-jkmn-pqrs'))
  expect(answers.map(({ status }) => status)).toEqual([...Array<number>(10).fill(401), 429, 429])
  const waiting = await guess(codes[0]!)
  expect([waiting.status, waiting.body.message]).toEqual([
    429,
    'Too many wrong codes were tried. Please try again later.',
  ])
  expect((await use(owner.user.email, codes[0])).status).toBe(200)
})

test('wrong codes from many other networks don’t keep the owner out', async () => {
  const { owner, codes } = await printed()
  const strangers = await tenAtOnce(
    Array.from({ length: 11 }, () => new Client()),
    (stranger) => inTurn(10, () => use(owner.user.email, 'abcd-efgh-jkmn-pqrs', NEW_PASSWORD, stranger)),
  )
  expect(statusesOf(strangers.flat())).toEqual(Array<number>(110).fill(401))
  expect((await use(owner.user.email, codes[0])).status).toBe(200)
})

test('a suspended account stays closed, one that was deleted comes back', async () => {
  const { owner, codes } = await printed()
  const { id, email } = owner.user
  await changeRows(users, { id }, { suspendedAt: Date.now() })
  const suspended = await use(email, codes[0])
  expect([suspended.status, suspended.body.code]).toEqual([403, 'account_suspended'])
  await changeRows(users, { id }, { suspendedAt: null, deletedAt: Date.now() - DAY_MS })
  expect((await use(email, codes[0])).body.message).toBe(
    'Welcome back. Your account is here again, and your memorials are as they were.',
  )
  await changeRows(users, { id }, { deletedAt: Date.now() - 31 * DAY_MS })
  expect((await use(email, codes[1])).status).toBe(401)
})

/** An account with a password, in a session that has just proved it. */
async function withPassword() {
  const email = await confirmed()
  const client = new Client()
  const { body } = await client.post('/api/auth/login', { email, password: PASSWORD })
  return { client, email, id: body.user.id as string }
}
const changeTo = (client: Client, email: string, code: string | undefined) =>
  client.post('/api/account/email', { email, password: PASSWORD, code })
const confirmEmail = (token: string) => new Client().post('/api/auth/confirm-email', { token })

test(
  'a code replaces a lost old mailbox once, and that mailbox can still undo it',
  {
    tags: [
      'code-for-mailbox-once',
      'undo-ends-codes',
      'undo-ends-new-passkeys',
      'undo-ends-new-authenticator',
    ],
  },
  async () => {
    const { client, email, id } = await withPassword()
    const { passkey: before } = await passkeyOf(client)
    const codes = await codesOf(client)
    const wrong = await changeTo(client, newEmail(), 'abcd-efgh-jkmn-pqrs')
    expect([wrong.status, wrong.body.fields]).toEqual([
      400,
      { code: 'This code isn’t right, or has been used' },
    ])
    // So that what was added before the change is told from what came with it.
    await changeRows(passkeys, { id: before.id }, { createdAt: Date.now() - 1000 })
    const next = newEmail()
    const asked = await changeTo(client, next, codes[0])
    expect([asked.status, asked.body]).toEqual([
      200,
      {
        message:
          'We’ve sent an email to the new address. Please open the link in it within 24 hours: your address changes then.',
      },
    ])
    expect(await leftOf(client)).toBe(9)
    const again = await changeTo(client, newEmail(), codes[0])
    expect([again.status, Object.keys(again.body.fields)]).toEqual([400, ['code']])
    const [toNew] = await mailboxOf(next, 1)
    expect((await confirmEmail(tokenIn(toNew))).body).toEqual({ isChanged: true })
    expect((await client.get('/api/auth/user')).body.email).toBe(next)

    await passkeyOf(client)
    await changeRows(users, { id }, { role: 'ADMIN' })
    await testAuthenticator(id)
    const old = await mailboxOf(email, 4)
    const subjects = old.map(({ subject }) => subject)
    expect(subjects).toContain('A printed code was used')
    const notice = old.find(({ subject }) => subject === 'Your email address was changed')
    expect((await new Client().post('/api/auth/undo-email', { token: tokenIn(notice) })).status).toBe(200)
    expect((await rowsOf(passkeys, { userId: id })).map((row) => row.id)).toEqual([before.id])
    expect(await rowsOf(printedCodes, { userId: id })).toEqual([])
    expect(await rowsOf(authenticators, { userId: id })).toEqual([])
  },
)

async function testAuthenticator(userId: string): Promise<void> {
  await testCtx()
    .db.insert(authenticators)
    .values({ userId, secret: 'none', lastStep: 0, createdAt: Date.now() })
}

test('of simultaneous requests with one code one counts', { tags: ['code-for-mailbox-once'] }, async () => {
  const { client } = await withPassword()
  const codes = await codesOf(client)
  const answers = await atOnce(4, () => changeTo(client, newEmail(), codes[0]))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await leftOf(client)).toBe(9)
})

test(
  'ending all after a reset ends passkeys and codes, but no admin’s second factor',
  { tags: ['mail-ends-no-second-factor'] },
  async () => {
    const { client, email, id } = await withPassword()
    const admin = await withPassword()
    for (const one of [client, admin.client]) {
      await passkeyOf(one)
      await codesOf(one)
    }
    await changeRows(users, { id: admin.id }, { role: 'ADMIN' })
    for (const address of [email, admin.email]) {
      await new Client().post('/api/auth/forgot-password', { email: address })
      const mail = (await mailboxOf(address, 4)).find(({ subject }) => /reset|new password/iu.test(subject))
      const token = tokenIn(mail)
      await new Client().post('/api/auth/reset-password', { token, password: NEW_PASSWORD })
      // A reset alone keeps them: most people have only forgotten their password.
      const kept = await rowsOf(passkeys, { userId: address === email ? id : admin.id })
      expect(kept).toHaveLength(1)
      expect((await new Client().post('/api/auth/end-invitations', { token })).status).toBe(200)
    }
    const left = async (userId: string) => [
      (await rowsOf(passkeys, { userId })).length,
      (await rowsOf(printedCodes, { userId })).length,
    ]
    expect(await left(id)).toEqual([0, 0])
    expect(await left(admin.id)).toEqual([1, 10])
  },
)

test('codes are made only minutes after somebody proved that it’s them', async () => {
  const owner = await signedIn()
  await confirmedAgo(owner, CONFIRMED_FOR_MS)
  expect((await owner.post('/api/account/printed-codes')).status).toBe(403)
  expect(await leftOf(owner)).toBe(undefined)
})
