import { expect, test } from 'vitest'
import { hashPassword } from '#worker/features/accounts/passwords.ts'
import { accountTokens, users } from '#worker/schema/accounts.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { resumableUploads } from '#worker/schema/media.table.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import {
  Client,
  invited,
  inviteTokenOf,
  memorialOf,
  signedIn,
  testCtx,
  type SignedIn,
} from '../../../../test/worker/harness.ts'
import { mailboxOf, tokenIn } from '../../../../test/worker/mailbox.ts'
import { barrierDb } from '../../../../test/worker/runtime/intercepted-db.ts'
import { OWN_JSON, watchedCall } from '../../../../test/worker/runtime/watched.ts'
import { rowsOf, changeRows } from '../../../../test/worker/rows.ts'
import { atOnce, inTurn } from '../../../../test/worker/repeat.ts'
import { begunUpload } from '../../../../test/worker/tus.ts'
import { quotaItemsOf } from '../../../../test/worker/uploads.ts'

const PASSWORD = 'Mutare in the rain'

/** A signed-in client of a confirmed account with a real password. */
async function signedInUser(): Promise<SignedIn> {
  const client = await signedIn({ email: `${randomBase32(12)}@family.test` })
  await changeRows(users, { id: client.user.id }, { passwordHash: await hashPassword(testCtx(), PASSWORD) })
  return client
}

/** Requests a reset link and reads it from the mail, the `nth` to this address. */
async function resetTokenOf(email: string, nth = 1): Promise<string> {
  await new Client().post('/api/auth/forgot-password', { email })
  return tokenIn((await mailboxOf(email, nth))[0])
}

const reset = (token: string, password = 'a new beginning') =>
  new Client().post('/api/auth/reset-password', { token, password })
const logIn = async (email: string, password: string) =>
  (await new Client().post('/api/auth/login', { email, password })).status

test(
  'a reset sets the password, ends every session at once and mails a notice',
  { tags: ['reset-ends-sessions'] },
  async () => {
    const client = await signedInUser()
    const { email } = client.user
    expect((await client.get('/api/auth/user')).status).toBe(200)
    expect(await reset(await resetTokenOf(email))).toMatchObject({
      status: 200,
      body: { message: 'Password reset successful! You can now log in with your new password.' },
    })
    expect((await client.get('/api/auth/user')).status).toBe(401)
    expect(await logIn(email, PASSWORD)).toBe(401)
    expect(await logIn(email, 'a new beginning')).toBe(200)
    const [notice] = await mailboxOf(email)
    expect(notice?.subject).toBe('Your password was changed')
  },
)

test(
  'exactly one of 20 simultaneous uses of a reset link sets the password',
  { tags: ['link-used-once'] },
  async () => {
    const { email } = (await signedInUser()).user
    const token = await resetTokenOf(email)
    // All requests read the link before the first one uses it.
    const settings = { DB: barrierDb(20) }
    const answers = await atOnce(20, async (i) => {
      const headers = { ...OWN_JSON, 'CF-Connecting-IP': `10.4.4.${i}` }
      const body = JSON.stringify({ token, password: `a new beginning ${i}` })
      const { response } = await watchedCall('/api/auth/reset-password', { headers, body, settings })
      const { code } = await response.json<{ code?: string }>()
      return { i, status: response.status, code }
    })
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    const lost = answers.filter(({ status, code }) => status === 410 && code === 'link_used')
    expect(lost).toHaveLength(19)
    expect(await logIn(email, `a new beginning ${won[0]!.i}`)).toBe(200)
    const subjects = (await mailboxOf(email)).map(({ subject }) => subject)
    expect(subjects).toEqual(['Your password was changed', 'Choose a new password'])
  },
)

test('a reset link expires after one use or one hour', async () => {
  const { id, email } = (await signedInUser()).user
  const first = await resetTokenOf(email)
  const [row] = await rowsOf(accountTokens, { userId: id })
  expect(row!.expiresAt - row!.createdAt).toBe(3_600_000)
  await changeRows(accountTokens, { userId: id }, { expiresAt: Date.now() - 1 })
  expect(await reset(first)).toMatchObject({
    status: 410,
    body: {
      message: 'This reset link has been used or has expired. Please request a new one.',
      code: 'link_expired',
    },
  })
  const second = await resetTokenOf(email, 2)
  expect(second).not.toBe(first)
  expect((await reset(second)).status).toBe(200)
  expect(await reset(second, 'yet another one')).toMatchObject({ status: 410, body: { code: 'link_used' } })
  expect(await logIn(email, 'a new beginning')).toBe(200)
})

test('while a reset link lives the same link is mailed; an older one stays valid', async () => {
  const { id, email } = (await signedInUser()).user
  const first = await resetTokenOf(email)
  expect(await resetTokenOf(email, 2)).toBe(first)
  // With little time left a new link comes, and the older one goes on working.
  await changeRows(accountTokens, { userId: id }, { expiresAt: Date.now() + 29 * 60_000 })
  const second = await resetTokenOf(email, 3)
  expect(second).not.toBe(first)
  expect((await mailboxOf(email))[0]?.text).toContain('The link works once, within an hour.')
  expect((await reset(first)).status).toBe(200)
  expect((await reset(second, 'yet another one')).status).toBe(410)
})

test('a reset link confirms the address and a verification link resets nothing', async () => {
  const email = `${randomBase32(12)}@family.test`
  await new Client().post('/api/auth/register', { email, password: PASSWORD, firstName: 'R', lastName: 'M' })
  const verification = tokenIn((await mailboxOf(email))[0])
  expect((await reset(verification)).status).toBe(410)
  const token = await resetTokenOf(email, 2)
  expect((await new Client().get(`/api/auth/verify-email/${token}`)).status).toBe(410)
  expect((await reset(token)).status).toBe(200)
  expect(await logIn(email, 'a new beginning')).toBe(200)
})

test('an invalid new password does not use up the link', async () => {
  const { email } = (await signedInUser()).user
  const token = await resetTokenOf(email)
  expect(await reset(token, 'password')).toMatchObject({
    status: 400,
    body: { fields: { password: 'This password is too common' } },
  })
  expect((await reset(token, 'short')).status).toBe(400)
  expect((await reset(token)).status).toBe(200)
})

test('a mailbox gets at most 3 reset mails an hour, and the answer does not change', async () => {
  const { email } = (await signedInUser()).user
  const answers = await inTurn(5, () => new Client().post('/api/auth/forgot-password', { email }))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const arrived = await mailboxOf(email, 3)
  const sent = await rowsOf(mails, { recipient: email })
  expect(sent).toHaveLength(3)
  expect(arrived.length).toBeLessThanOrEqual(3)
  expect((await reset(tokenIn(arrived[0]))).status).toBe(200)
})

test(
  'changing the password ends other sessions and voids open reset links',
  { tags: ['password-change-ends-sessions'] },
  async () => {
    const client = await signedInUser()
    const { email } = client.user
    const other = new Client()
    await other.post('/api/auth/login', { email, password: PASSWORD })
    const token = await resetTokenOf(email)
    const older = client.cookies.get('session')!
    const changed = await client.post('/api/account/password', {
      currentPassword: PASSWORD,
      newPassword: 'a new beginning',
    })
    expect(changed).toMatchObject({
      status: 200,
      body: { message: 'Your password has been changed. Other devices have been signed out.' },
    })
    expect((await client.get('/api/auth/user')).body).toEqual(client.user)
    expect((await other.get('/api/auth/user')).status).toBe(401)
    const replay = new Client()
    replay.cookies.set('session', older)
    expect((await replay.get('/api/auth/user')).status).toBe(401)
    expect((await reset(token)).status).toBe(410)
    expect(await logIn(email, PASSWORD)).toBe(401)
    expect(await logIn(email, 'a new beginning')).toBe(200)
    expect((await mailboxOf(email))[0]?.subject).toBe('Your password was changed')
  },
)

test('changing the password needs the current one; guesses count by session', async () => {
  const client = await signedInUser()
  const guess = () =>
    client.post('/api/account/password', { currentPassword: 'wrong', newPassword: 'a new beginning' })
  const message = 'That password is wrong'
  expect(await guess()).toMatchObject({
    status: 400,
    body: { message, fields: { currentPassword: message } },
  })
  for (let i = 0; i < 9; i++) await guess()
  expect((await guess()).status).toBe(429)
  // Somebody who found a signed-in phone and guesses there keeps the owner out of nothing.
  expect(await logIn(client.user.email, PASSWORD)).toBe(200)
})

test('login rehashes a password with an older cost, and refuses a cost above the limit', async () => {
  const client = await signedInUser()
  const stored = async () => (await rowsOf(users, { id: client.user.id }))[0]!.passwordHash
  expect(await stored()).toMatch(/^\$scrypt\$ln=14,r=8,p=5,keyid=[0-9a-f]{8}\$[\w+/]{22}\$[\w+/]{43}$/u)

  const { email } = client.user
  const cheap = await hashPassword(testCtx(), PASSWORD, { ln: 10, r: 8, p: 1 })
  await changeRows(users, { id: client.user.id }, { passwordHash: cheap })
  expect(await logIn(email, 'wrong guess')).toBe(401)
  expect(await stored()).toBe(cheap)
  expect(await logIn(email, PASSWORD)).toBe(200)
  expect(await stored()).toContain('$ln=14,r=8,p=5,')
  expect(await logIn(email, PASSWORD)).toBe(200)

  const greedy = (await stored()).replace('ln=14', 'ln=24')
  await changeRows(users, { id: client.user.id }, { passwordHash: greedy })
  expect(await logIn(email, PASSWORD)).toBe(401)
})

test('whatever strangers ask for, a reset is mailed', async () => {
  const { email } = (await signedInUser()).user
  const stranger = new Client()
  const [local, domain] = email.split('@')
  for (let i = 0; i < 3; i++) {
    const plus = `${local}+${i}@${domain}`
    const names = { firstName: 'M', lastName: 'M', password: 'the stranger knows this' }
    await new Client().post('/api/auth/register', { ...names, email })
    await new Client().post('/api/auth/register', { ...names, email: plus })
    await new Client().post('/api/auth/forgot-password', { email: plus })
    await stranger.post('/api/contact', { email, subject: 'Hello', message: 'x' })
  }
  await mailboxOf(email, 3)
  await new Client().post('/api/auth/forgot-password', { email })
  const [mail] = await mailboxOf(email, 4)
  expect(mail?.subject).toBe('Choose a new password')
  expect((await reset(tokenIn(mail))).status).toBe(200)
  const subjects = (await mailboxOf(email)).map(({ subject }) => subject)
  expect(subjects.filter((one) => one === 'You already have an account')).toHaveLength(1)
  await mailboxOf('support@nhaka.test')
})

test('a stranger who uses up the resets leaves a link that works in the mailbox', async () => {
  const { email } = (await signedInUser()).user
  await inTurn(5, () => new Client().post('/api/auth/forgot-password', { email }))
  const tokens = (await mailboxOf(email, 3)).map(tokenIn)
  expect(tokens).toHaveLength(3)
  expect(new Set(tokens).size).toBe(1)
  const answer = await new Client().post('/api/auth/forgot-password', { email })
  expect(answer).toMatchObject({
    status: 200,
    body: {
      message:
        'If an account with that email exists, we have sent a password reset link to your email address.',
    },
  })
  expect((await reset(tokens[0]!)).status).toBe(200)
})

test(
  'after a reset the owner ends all sessions and invitations with the same link',
  { tags: ['only-a-used-reset-ends'] },
  async () => {
    const { owner, memorial, relative } = await invited()
    const another = await memorialOf({ privacy: 'INVITE' })
    const others = await inviteTokenOf(another.owner, another.memorial.id)
    const token = await resetTokenOf(owner.user.email)
    const end = () => new Client().post('/api/auth/end-invitations', { token })
    expect((await end()).status).toBe(410)
    const seen = async () => (await relative.get(`/api/memorials/${memorial.id}`)).status
    const invite = await inviteTokenOf(owner, memorial.id)
    await begunUpload(relative, memorial.id, new Uint8Array(1000), 'AUDIO')
    expect((await reset(token)).status).toBe(200)
    expect(await seen()).toBe(200)
    expect(await quotaItemsOf(memorial.id)).toHaveLength(1)
    expect(await end()).toMatchObject({
      status: 200,
      body: { message: expect.stringContaining('all invitation links of your memorials have ended') },
    })
    expect(await seen()).toBe(403)
    expect((await new Client().get(`/api/invite/${invite}`)).status).toBe(404)
    // What a relative was sending by the old link.
    expect(await quotaItemsOf(memorial.id)).toEqual([])
    const [upload] = await rowsOf(resumableUploads, { memorialId: memorial.id })
    expect(upload?.expiresAt).toBeLessThanOrEqual(Date.now())
    expect(await inviteTokenOf(another.owner, another.memorial.id)).toBe(others)
    await changeRows(accountTokens, { userId: owner.user.id }, { expiresAt: Date.now() - 1 })
    expect((await end()).status).toBe(410)
  },
)
