import { expect, test } from 'vitest'
import { createCtx } from '#worker/platform/ctx.ts'
import { DAY_MS } from '#shared/limits.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { commentLikes, comments } from '#worker/schema/comments.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { mailRow } from '#worker/platform/providers/mail.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { purgeDeleted } from '#worker/features/removal/removal.jobs.ts'
import { confirmed, PASSWORD, registration } from '../../../../test/worker/accounts.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { failingEnv } from '../../../../test/worker/faults/faults.ts'
import {
  Client,
  contributorOf,
  memorialOf,
  paidCredit,
  signedIn,
  testCtx,
  type SignedIn,
} from '../../../../test/worker/harness.ts'
import { mailboxOf, receivedBy, tokenIn } from '../../../../test/worker/mailbox.ts'
import {
  findTraces,
  leftOf,
  NOTHING,
  purgeAuditRows,
  wholeMemorial,
} from '../../../../test/worker/whole-memorial.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'

/** A signed-in person with a confirmed address and a password. */
async function person(): Promise<SignedIn> {
  const email = await confirmed()
  return signIn(email)
}

async function signIn(email: string, password = PASSWORD): Promise<SignedIn> {
  const client = new Client()
  const { body } = await client.post('/api/auth/login', { email, password })
  return Object.assign(client, { user: body.user })
}

async function statusesOf(ids: string[]) {
  return Promise.all(ids.map(async (id) => (await rowsOf(memorials, { id }))[0]?.status ?? null))
}

/** Moves the deletion of an account this many days into the past. */
async function backdate(userId: string, days: number): Promise<void> {
  const [row] = await rowsOf(users, { id: userId })
  const deletedAt = Date.now() - days * DAY_MS
  await changeRows(memorials, { ownerId: userId, deletedAt: Number(row?.deletedAt) }, { deletedAt })
  await changeRows(users, { id: userId }, { deletedAt })
}

test('deleting an account hides it and its memorials, signs out and sends mail', async () => {
  const owner = await person()
  const phone = await signIn(owner.user.email)
  const { memorial } = await memorialOf({ owner, privacy: 'LOCKED' })
  const draft = (await owner.post('/api/memorials', { honoureeFullName: 'Draft' })).body
  const relative = await contributorOf(owner, memorial.id)
  const { status, body } = await owner.delete('/api/account', { password: PASSWORD })
  expect([status, body]).toEqual([
    200,
    { message: 'Your account was deleted.', restorableUntil: expect.stringMatching(/Z$/u) },
  ])
  expect(Math.round((Date.parse(body.restorableUntil) - Date.now()) / DAY_MS)).toBe(30)
  expect(owner.cookies.has('session')).toBe(false)
  expect((await phone.get('/api/auth/user')).status).toBe(401)
  for (const [client, path] of [
    [new Client(), `/api/memorial/${memorial.slug}`],
    [relative, `/api/memorials/${memorial.id}`],
    [relative, `/api/memorials/${memorial.id}/media`],
  ] as const) {
    expect([path, (await client.get(path)).status]).toEqual([path, 404])
  }
  expect(await statusesOf([memorial.id, draft.id])).toEqual(['DELETED', 'DELETED'])
  const [mail] = await mailboxOf(owner.user.email)
  expect(mail).toMatchObject({ subject: 'Your account was deleted' })
  expect(mail?.text).toContain('Your account and its memorials are deleted.')
})

test('a wrong password deletes nothing and counts against this session alone', async () => {
  const owner = await person()
  const { memorial } = await memorialOf({ owner })
  expect((await new Client().delete('/api/account', { password: PASSWORD })).status).toBe(401)
  expect((await owner.delete('/api/account', {})).status).toBe(400)
  const wrong = await owner.delete('/api/account', { password: 'not the password' })
  expect([wrong.status, wrong.body]).toEqual([
    400,
    {
      code: 'bad_input',
      message: 'That password is wrong',
      fields: { password: 'That password is wrong' },
    },
  ])
  for (let n = 0; n < 9; n++) await owner.delete('/api/account', { password: 'not the password' })
  expect((await owner.delete('/api/account', { password: PASSWORD })).status).toBe(429)
  const login = await new Client().post('/api/auth/login', { email: owner.user.email, password: PASSWORD })
  expect(login.status).toBe(200)
  expect((await owner.get('/api/auth/user')).status).toBe(200)
  expect(await statusesOf([memorial.id])).toEqual(['ACTIVE'])
})

test(
  'signing in within thirty days restores what the account deletion hid',
  { tags: ['restore-only-what-went'] },
  async () => {
    const owner = await person()
    const admin = await signedIn({ admin: true })
    const shown = await memorialOf({ owner, privacy: 'LOCKED' })
    const earlier = await memorialOf({ owner })
    const removed = await memorialOf({ owner })
    const draft = (await owner.post('/api/memorials', { honoureeFullName: 'Draft' })).body
    await owner.delete(earlier.path, {
      confirmName: earlier.memorial.honoureeFullName,
    })
    await admin.post(`/api/admin/memorials/${removed.memorial.id}/remove`)
    await owner.delete('/api/account', { password: PASSWORD })
    const creditId = await paidCredit(owner.user.id)
    await changeRows(payments, { id: creditId }, { targetMemorialId: draft.id })
    const ids = [shown.memorial.id, earlier.memorial.id, removed.memorial.id, draft.id]
    expect(await statusesOf(ids)).toEqual(['DELETED', 'DELETED', 'REMOVED', 'DELETED'])
    await backdate(owner.user.id, 29.99)

    const { email } = owner.user
    const wrong = await new Client().post('/api/auth/login', { email, password: 'not the password' })
    expect([wrong.status, wrong.body.code]).toEqual([401, 'invalid_credentials'])
    expect(await statusesOf(ids)).toEqual(['DELETED', 'DELETED', 'REMOVED', 'DELETED'])
    const back = new Client()
    const { status, body } = await back.post('/api/auth/login', { email, password: PASSWORD })
    expect([status, body]).toEqual([
      200,
      {
        message: 'Welcome back. Your account is here again, and your memorials are as they were.',
        user: owner.user,
      },
    ])
    expect(await statusesOf(ids)).toEqual(['ACTIVE', 'DELETED', 'REMOVED', 'ACTIVE'])
    expect((await new Client().get(`/api/memorial/${shown.memorial.slug}`)).status).toBe(200)
    expect((await back.get('/api/dashboard')).body.memorials).toHaveLength(2)
    expect((await owner.get('/api/auth/user')).status).toBe(401)
  },
)

test(
  'while an account is deleted not even an admin restores its memorials',
  { tags: ['restore-needs-owner'] },
  async () => {
    const owner = await person()
    const admin = await signedIn({ admin: true })
    const one = await memorialOf({ owner })
    const removed = await memorialOf({ owner })
    await admin.post(`/api/admin/memorials/${removed.memorial.id}/remove`)
    await owner.delete('/api/account', { password: PASSWORD })
    const answers = [
      await admin.post(`${one.path}/restore`),
      await admin.post(`/api/admin/memorials/${one.memorial.id}/restore`),
      await admin.post(`/api/admin/memorials/${removed.memorial.id}/restore`),
      await admin.post(`/api/admin/users/${owner.user.id}/reinstate`),
    ]
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409, 404])
    const together =
      'The owner of this memorial has deleted their account. It can come back only together with the account.'
    expect([answers[0]?.body.message, answers[2]?.body.message]).toEqual([together, together])
    expect(await statusesOf([one.memorial.id, removed.memorial.id])).toEqual(['DELETED', 'REMOVED'])
  },
)

test('a deleted account keeps its address: registration and reset lead to it', async () => {
  const owner = await person()
  const { email } = owner.user
  await owner.delete('/api/account', { password: PASSWORD })
  const again = await new Client().post('/api/auth/register', registration(email))
  expect(again.status).toBe(201)
  await new Client().post('/api/auth/forgot-password', { email })
  const box = await mailboxOf(email, 4)
  expect(box.map(({ subject }) => subject).toSorted()).toEqual([
    'Choose a new password',
    'Please confirm your email address',
    'You already have an account',
    'Your account was deleted',
  ])
  const link = tokenIn(box.find(({ subject }) => subject === 'Choose a new password'))
  const password = 'a new beginning in Mutare'
  expect((await new Client().post('/api/auth/reset-password', { token: link, password })).status).toBe(200)
  expect((await new Client().post('/api/auth/login', { email, password })).status).toBe(200)
})

test('after thirty days only payments remain and the email address is free', async () => {
  const owner = await person()
  const { email, id } = owner.user
  const admin = await signedIn({ admin: true })
  const whole = await wholeMemorial({ owner })
  const removed = await memorialOf({ owner, name: 'Removed By An Admin' })
  await admin.post(`/api/admin/memorials/${removed.memorial.id}/remove`)
  const other = await memorialOf({ privacy: 'INVITE' })
  const relative = await contributorOf(other.owner, other.memorial.id)
  const { comment } = (await relative.post(`${other.path}/comments`, { body: 'Rest well' })).body
  await other.owner.patch(`${other.path}/privacy`, { privacy: 'LOCKED' })
  await owner.post(`/api/comments/${comment.id}/like`)
  await other.owner.post(`/api/comments/${comment.id}/like`)
  await new Client().post('/api/contact', { email, subject: 'Plaque', message: 'From the owner' })
  await new Client().post('/api/auth/forgot-password', { email })
  await mailboxOf(email, 2)
  await mailboxOf('support@nhaka.test', 1)
  const receipt = mailRow(testCtx(), { kind: 'receipt', recipient: email, subjectId: 'pay_of_theirs' })
  await testCtx()
    .db.insert(mails)
    .values({ ...receipt, status: 'SENT' })
  await changeRows(payments, { userId: id }, { refundNote: 'You wrote that Ambuya Chipo' })
  await owner.delete('/api/account', { password: PASSWORD })
  await mailboxOf(email, 3)
  await backdate(id, 30.01)

  const late = await new Client().post('/api/auth/login', { email, password: PASSWORD })
  expect([late.status, late.body.code]).toEqual([401, 'invalid_credentials'])
  await purgeDeleted(testCtx())
  await purgeDeleted(testCtx())
  expect(await leftOf(whole)).toEqual(NOTHING)
  expect(await findTraces([email, 'Removed By An Admin', 'From the owner', 'Ambuya Chipo'])).toEqual([])
  expect(await rowsOf(users, { id })).toEqual([
    expect.objectContaining({ email: id, firstName: '', lastName: '', passwordHash: '', role: 'USER' }),
  ])
  expect(await rowsOf(payments, { userId: id })).toHaveLength(2)
  expect((await findTraces([id])).toSorted()).toEqual([
    `audit_log.target_id: ${id}`,
    `payments.user_id: ${id}`,
    `users.email: ${id}`,
    `users.id: ${id}`,
  ])
  const [liked] = await rowsOf(comments, { id: comment.id })
  const likes = await rowsOf(commentLikes, { commentId: comment.id })
  expect([liked?.likeCount, likes.map(({ likedBy }) => likedBy)]).toEqual([1, [other.owner.user.id]])
  expect(await purgeAuditRows(id)).toEqual([{ actorId: null, targetKind: 'user', detail: null }])
  await new Client().post('/api/auth/register', registration(email, 'a new beginning in Mutare', 'Farai'))
  const [mail] = await mailboxOf(email, 1)
  expect(mail?.subject).toBe('Please confirm your email address')
})

test('an account that never paid leaves no row; a recent deletion stays whole', async () => {
  const [expired, recent] = [await person(), await person()]
  for (const client of [expired, recent]) await client.delete('/api/account', { password: PASSWORD })
  for (const { user } of [expired, recent]) await mailboxOf(user.email, 2)
  await backdate(expired.user.id, 30.01)
  await backdate(recent.user.id, 29.99)
  await purgeDeleted(testCtx())
  expect(await findTraces([expired.user.email])).toEqual([])
  expect(await rowsOf(users, { id: expired.user.id })).toEqual([])
  expect(
    (await new Client().post('/api/auth/login', { email: recent.user.email, password: PASSWORD })).status,
  ).toBe(200)
})

test('an account purge that fails at any call completes on the next run', async () => {
  const brokenAt = async (failAt: number, mode: 'before' | 'after') => {
    const { owner, memorial } = await memorialOf()
    const { id, email } = owner.user
    await changeRows(users, { id }, { deletedAt: Date.now() - 31 * DAY_MS })
    const failing = failingEnv(failAt, mode)
    await purgeDeleted(createCtx({ env: failing.env, waitUntil: () => {} })).catch(() => null)
    await purgeDeleted(testCtx())
    const lines = [...(await purgeAuditRows(memorial.id)), ...(await purgeAuditRows(id))]
    expect([failAt, mode, await findTraces([email, memorial.slug]), lines]).toEqual([
      failAt,
      mode,
      [`retired_slugs.slug: ${memorial.slug}`],
      ['memorial', 'user'].map((targetKind) => ({ actorId: null, targetKind, detail: null })),
    ])
    takeErrorLines()
    return failing.calls()
  }
  const calls = await brokenAt(Infinity, 'before')
  expect(calls).toBeGreaterThan(6)
  for (let failAt = 1; failAt <= calls; failAt++) {
    await brokenAt(failAt, 'before')
    await brokenAt(failAt, 'after')
  }
})

test('five simultaneous deletions delete once and send one mail', async () => {
  const owner = await person()
  const answers = await atOnce(5, () => owner.delete('/api/account', { password: PASSWORD }))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  await mailboxOf(owner.user.email, 2)
  const queued = await rowsOf(mails, { subjectId: owner.user.id, kind: 'account-deleted' })
  expect([queued.length, (await receivedBy(owner.user.email)).length]).toEqual([1, 2])
})
