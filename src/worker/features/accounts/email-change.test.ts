import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '#shared/limits.ts'
import { removeUnverifiedAccounts } from '#worker/features/accounts/accounts.jobs.ts'
import { purgeAccount } from '#worker/features/removal/removal.jobs.ts'
import { mailRow } from '#worker/platform/providers/mail.ts'
import { emailChanges, users } from '#worker/schema/accounts.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { confirmed, newEmail, PASSWORD, registered } from '../../../../test/worker/accounts.ts'
import { Client, paidCredit, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf, mailWith, tokenIn } from '../../../../test/worker/mailbox.ts'
import { atOnce, inTurn } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const SENT = {
  message:
    'We’ve sent an email to each address. Please open the link in both within 24 hours, on any phone or computer. Your address changes once both are confirmed.',
}

type Owner = { client: Client; email: string; id: string }

async function owner(): Promise<Owner> {
  const email = await confirmed()
  const client = new Client()
  const { body } = await client.post('/api/auth/login', { email, password: PASSWORD })
  return { client, email, id: body.user.id }
}

const ask = (client: Client, email: string, password = PASSWORD) =>
  client.post('/api/account/email', { email, password })
const confirm = (token: string, client = new Client()) => client.post('/api/auth/confirm-email', { token })
const undo = (token: string, client = new Client()) => client.post('/api/auth/undo-email', { token })
const addressOf = async (id: string) => (await rowsOf(users, { id }))[0]?.email
const logIn = (email: string, password = PASSWORD) =>
  new Client().post('/api/auth/login', { email, password })

/** The token of the newest mail with this subject. */
async function tokenOf(address: string, subject: string, count = 0): Promise<string> {
  return tokenIn(await mailWith(address, subject, count))
}

/** A request for another address, and the tokens of both links. */
async function asked(of: Owner, email = newEmail()) {
  const answer = await ask(of.client, email)
  expect([answer.status, answer.body]).toEqual([200, SENT])
  return {
    email,
    newToken: await tokenOf(email, 'Please confirm your new email address', 1),
    oldToken: await tokenOf(of.email, 'Is your email address changing?', 2),
  }
}

/** A change that both addresses have confirmed, and the token that undoes it. */
async function changed(of: Owner, email = newEmail()) {
  const request = await asked(of, email)
  await confirm(request.newToken)
  expect((await confirm(request.oldToken)).body).toEqual({ isChanged: true })
  return { email, undoToken: await tokenOf(of.email, 'Your email address was changed', 3) }
}

test(
  'an address changes once both addresses confirm, in any order and on any device',
  { tags: ['old-address-confirms', 'new-address-confirms'] },
  async () => {
    for (const order of [
      ['newToken', 'oldToken'],
      ['oldToken', 'newToken'],
    ] as const) {
      const one = await owner()
      const request = await asked(one)
      const [first, second] = order
      expect((await confirm(request[first])).body).toEqual({ isChanged: false })
      // The same link again confirms nothing for the other address.
      expect((await confirm(request[first])).body).toEqual({ isChanged: false })
      expect(await addressOf(one.id)).toBe(one.email)
      expect((await confirm(request[second])).body).toEqual({ isChanged: true })
      expect((await confirm(request[first])).body).toEqual({ isChanged: true })
      expect((await one.client.get('/api/auth/user')).body.email).toBe(request.email)
      expect((await logIn(request.email)).status).toBe(200)
      expect((await logIn(one.email)).status).toBe(401)
      const [mail] = await mailboxOf(one.email, 3)
      expect(mail?.text).toContain(`The address of your account is now ${request.email}.`)
    }
  },
)

test('a change needs a session, the right password and another address', async () => {
  const one = await owner()
  expect((await ask(new Client(), newEmail())).status).toBe(401)
  const wrong = await ask(one.client, newEmail(), 'wrong guess')
  expect([wrong.status, wrong.body.fields]).toEqual([400, { password: 'That password is wrong' }])
  const same = await ask(one.client, one.email.toUpperCase())
  expect([same.status, same.body.fields]).toEqual([400, { email: 'This is already your address' }])
  expect((await ask(one.client, 'no address')).status).toBe(400)
  expect(await rowsOf(emailChanges, { userId: one.id })).toEqual([])
})

test('an address that has an account gets another mail, and nothing else differs', async () => {
  const [one, two, taken] = [await owner(), await owner(), await confirmed()]
  const answers = [await ask(one.client, taken), await ask(two.client, newEmail())]
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [200, SENT],
    [200, SENT],
  ])
  const [told] = await mailboxOf(taken, 2)
  expect(told?.subject).toBe('This address has an account')
  expect(told?.text).not.toContain('confirm-email')
  expect(told?.text).not.toContain(one.email)
  const texts = await Promise.all(
    [one, two].map(async ({ email }) => (await mailboxOf(email, 2))[0]?.subject),
  )
  expect(texts).toEqual(['Is your email address changing?', 'Is your email address changing?'])
  const confirmations = await Promise.all(
    [one, two].map(async ({ email }) => {
      const { status, body } = await confirm(await tokenOf(email, 'Is your email address changing?'))
      return [status, body]
    }),
  )
  expect(confirmations).toEqual([
    [200, { isChanged: false }],
    [200, { isChanged: false }],
  ])
})

test(
  'links end after 24 hours, with a newer request, and with a new password',
  { tags: ['email-link-expires', 'new-password-stops-email-change'] },
  async () => {
    const one = await owner()
    const gone = async (token: string) => {
      const { status, body } = await confirm(token)
      return [status, body.code]
    }
    const first = await asked(one)
    await changeRows(emailChanges, { userId: one.id }, { expiresAt: Date.now() - 1 })
    expect(await gone(first.newToken)).toEqual([410, 'link_expired'])
    const second = await asked(one)
    await ask(one.client, newEmail())
    expect(await gone(second.newToken)).toEqual([410, 'link_expired'])
    expect(await rowsOf(emailChanges, { userId: one.id })).toHaveLength(1)
    const newPassword = 'Mutare in the sun'
    await one.client.post('/api/account/password', { currentPassword: PASSWORD, newPassword })
    expect(await rowsOf(emailChanges, { userId: one.id })).toEqual([])

    const third = await ask(one.client, newEmail(), newPassword)
    expect(third.status).toBe(200)
    await new Client().post('/api/auth/forgot-password', { email: one.email })
    const token = await tokenOf(one.email, 'Choose a new password')
    expect((await new Client().post('/api/auth/reset-password', { token, password: PASSWORD })).status).toBe(
      200,
    )
    expect(await rowsOf(emailChanges, { userId: one.id })).toEqual([])
    expect(await gone('invented')).toEqual([410, 'link_expired'])
  },
)

test('the database stores no token of a link', async () => {
  const one = await owner()
  const { newToken, oldToken } = await asked(one)
  const rows = JSON.stringify(await rowsOf(emailChanges, { userId: one.id }))
  expect(rows).toContain(one.email)
  expect([newToken, oldToken].filter((token) => rows.includes(token))).toEqual([])
})

test(
  'the old address undoes a change: sessions, password and reset links end',
  { tags: ['undo-ends-password', 'undo-ends-sessions'] },
  async () => {
    const one = await owner()
    const { email, undoToken } = await changed(one)
    // Somebody with the new mailbox has asked for a reset.
    await new Client().post('/api/auth/forgot-password', { email })
    const theirs = await tokenOf(email, 'Choose a new password', 2)
    const answer = await undo(undoToken)
    expect([answer.status, answer.body.message]).toEqual([
      200,
      'Every device is signed out. We’ve sent a link to your old address: please choose a new password with it, within an hour.',
    ])
    expect(await addressOf(one.id)).toBe(one.email)
    expect((await one.client.get('/api/auth/user')).status).toBe(401)
    expect((await logIn(one.email)).status).toBe(401)
    expect((await logIn(email)).status).toBe(401)
    const reset = (token: string) =>
      new Client().post('/api/auth/reset-password', { token, password: 'Mutare at noon' })
    expect((await reset(theirs)).status).toBe(410)
    const [told] = await mailboxOf(email, 3)
    expect(told?.subject).toBe('The change of your email address was undone')
    const again = await undo(undoToken)
    expect([again.status, again.body.code]).toEqual([410, 'link_used'])
    expect((await reset(await tokenOf(one.email, 'Choose a new password', 4))).status).toBe(200)
    expect((await logIn(one.email, 'Mutare at noon')).status).toBe(200)
  },
)

test('an undo works for 7 days', { tags: ['undo-expires'] }, async () => {
  const one = await owner()
  const { undoToken } = await changed(one)
  const [row] = await rowsOf(emailChanges, { userId: one.id })
  expect(row!.expiresAt - row!.changedAt!).toBe(7 * DAY_MS)
  await changeRows(emailChanges, { userId: one.id }, { expiresAt: Date.now() - 1 })
  const late = await undo(undoToken)
  expect([late.status, late.body.code]).toEqual([410, 'link_expired'])
  await changeRows(emailChanges, { userId: one.id }, { expiresAt: Date.now() + HOUR_MS })
  expect((await undo(undoToken)).status).toBe(200)
})

test(
  'of two changes the first can be undone, and then the second no longer',
  { tags: ['undo-ends-later-changes'] },
  async () => {
    const one = await owner()
    const first = await changed(one)
    const moved = { ...one, email: first.email }
    // The new mailbox had the link that confirmed it.
    await ask(moved.client, newEmail())
    const [row] = await rowsOf(mails, { recipient: moved.email, kind: 'email-change-old' })
    const [change] = await rowsOf(emailChanges, { id: row!.subjectId })
    const old = await tokenOf(moved.email, 'Is your email address changing?', 2)
    const fresh = await tokenOf(change!.newEmail, 'Please confirm your new email address', 1)
    await confirm(old)
    expect((await confirm(fresh)).body).toEqual({ isChanged: true })
    const second = await tokenOf(moved.email, 'Your email address was changed', 3)
    // One more waits.
    await ask(moved.client, newEmail())
    expect((await undo(first.undoToken)).status).toBe(200)
    expect(await addressOf(one.id)).toBe(one.email)
    const late = await undo(second)
    expect([late.status, late.body.code]).toEqual([410, 'link_expired'])
    expect(await addressOf(one.id)).toBe(one.email)
    expect(await rowsOf(emailChanges, { userId: one.id })).toHaveLength(1)
  },
)

test('undoing the later of two changes leaves the earlier one undoable', async () => {
  const one = await owner()
  const first = await changed(one)
  const moved = { ...one, email: first.email }
  await ask(moved.client, newEmail())
  const [change] = await rowsOf(emailChanges, { userId: one.id, oldEmail: moved.email })
  await confirm(await tokenOf(moved.email, 'Is your email address changing?', 2))
  await confirm(await tokenOf(change!.newEmail, 'Please confirm your new email address', 1))
  expect((await undo(await tokenOf(moved.email, 'Your email address was changed', 3))).status).toBe(200)
  expect(await addressOf(one.id)).toBe(moved.email)
  expect((await undo(first.undoToken)).status).toBe(200)
  expect(await addressOf(one.id)).toBe(one.email)
})

test('of simultaneous confirmations of both links one changes, with one mail', async () => {
  const one = await owner()
  const { newToken, oldToken, email } = await asked(one)
  const answers = await atOnce(8, async (n) => (await confirm(n % 2 === 0 ? newToken : oldToken)).status)
  expect(answers).toEqual(Array(8).fill(200))
  expect(await addressOf(one.id)).toBe(email)
  expect(await rowsOf(mails, { recipient: one.email, kind: 'email-changed' })).toHaveLength(1)
})

test('of simultaneous requests of an account one is left', async () => {
  const one = await owner()
  const statuses = await atOnce(4, async () => (await ask(one.client, newEmail())).status)
  expect(statuses).toEqual([200, 200, 200, 200])
  expect(await rowsOf(emailChanges, { userId: one.id })).toHaveLength(1)
})

test(
  'of simultaneous undos one counts, and an undo beats a later change',
  { tags: ['undo-works-once'] },
  async () => {
    const one = await owner()
    const { undoToken, email } = await changed(one)
    const next = newEmail()
    await ask(one.client, next)
    const old = await tokenOf(email, 'Is your email address changing?', 2)
    await confirm(await tokenOf(next, 'Please confirm your new email address', 1))
    const answers = await atOnce(
      4,
      async (n) => (n === 0 ? await confirm(old) : await undo(undoToken)).status,
    )
    expect(answers.slice(1).toSorted((a, b) => a - b)).toEqual([200, 410, 410])
    expect(await addressOf(one.id)).toBe(one.email)
    expect((await one.client.get('/api/auth/user')).status).toBe(401)
  },
)

test(
  'an account made for the new address meanwhile keeps it',
  { tags: ['new-address-is-free'] },
  async () => {
    const one = await owner()
    const { newToken, oldToken, email } = await asked(one)
    await confirm(newToken)
    // Somebody with the same mailbox registers it.
    const client = new Client()
    await registered(email, 'another password', client)
    await client.get(`/api/auth/verify-email/${await tokenOf(email, 'Please confirm your email address', 2)}`)
    const answer = await confirm(oldToken)
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
    expect(await addressOf(one.id)).toBe(one.email)
    expect((await logIn(email, 'another password')).status).toBe(200)
    expect(await rowsOf(mails, { recipient: one.email, kind: 'email-changed' })).toEqual([])
  },
)

test('of two accounts that want one address, one gets it', async () => {
  const pair = [await owner(), await owner()]
  const email = newEmail()
  const tokens: string[] = []
  for (const one of pair) {
    await ask(one.client, email)
    const [change] = await rowsOf(emailChanges, { userId: one.id })
    await confirm(await tokenOf(one.email, 'Is your email address changing?', 2))
    const mine = (await mailboxOf(email, tokens.length + 1)).map(tokenIn)
    tokens.push(mine.find((token) => !tokens.includes(token))!)
    expect(change?.newEmail).toBe(email)
  }
  const statuses = await atOnce(2, async (n) => (await confirm(tokens[n]!)).status)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 409])
  expect(await rowsOf(users, { email })).toHaveLength(1)
})

test('who only registered an address, and never confirmed it, holds it against nobody', async () => {
  const one = await owner()
  const { newToken, oldToken, email } = await asked(one)
  await registered(email)
  await confirm(newToken)
  expect((await confirm(oldToken)).body).toEqual({ isChanged: true })
  expect((await rowsOf(users, { email })).map(({ id }) => id)).toEqual([one.id])
  // Nor the old address, against an undo.
  await registered(one.email)
  const undoToken = await tokenOf(one.email, 'Your email address was changed')
  expect((await undo(undoToken)).status).toBe(200)
  expect((await rowsOf(users, { email: one.email })).map(({ id }) => id)).toEqual([one.id])
})

test('an old address with an account of its own can’t be taken back', async () => {
  const one = await owner()
  const { undoToken, email } = await changed(one)
  const client = new Client()
  await registered(one.email, 'another password', client)
  const link = await tokenOf(one.email, 'Please confirm your email address', 4)
  await client.get(`/api/auth/verify-email/${link}`)
  const answer = await undo(undoToken)
  expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
  expect(await addressOf(one.id)).toBe(email)
  expect((await one.client.get('/api/auth/user')).status).toBe(200)
})

test('waiting mails of the account follow its address, and those of others stay', async () => {
  const one = await owner()
  const { newToken, oldToken, email } = await asked(one)
  const ctx = testCtx()
  const kinds = ['waiting', 'memorial-removed', 'password-changed', 'reply'] as const
  const rows = kinds.map((kind) => mailRow(ctx, { kind, recipient: one.email, subjectId: 'none' }))
  await ctx.db.insert(mails).values(rows)
  await confirm(newToken)
  await confirm(oldToken)
  const now = await Promise.all(rows.map(async ({ id }) => (await rowsOf(mails, { id }))[0]?.recipient))
  expect(now).toEqual([email, email, one.email, one.email])
})

test('an account and an address are asked only so often', async () => {
  const one = await owner()
  const statuses = await inTurn(6, async () => (await ask(one.client, newEmail())).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
  const [two, three] = [await owner(), await owner()]
  three.client.ip = two.client.ip
  const victim = newEmail()
  const each = await inTurn(4, async (n) => (await ask((n < 2 ? two : three).client, victim)).status)
  expect(each).toEqual([200, 200, 200, 429])
  await mailboxOf(victim, 3)
})

test('a suspended or deleted account does not change, and a deleted one can be undone', async () => {
  const one = await owner()
  const { newToken, oldToken } = await asked(one)
  await confirm(newToken)
  await changeRows(users, { id: one.id }, { suspendedAt: Date.now() })
  expect((await confirm(oldToken)).status).toBe(409)
  await changeRows(users, { id: one.id }, { suspendedAt: null })
  expect((await one.client.delete('/api/account', { password: PASSWORD })).status).toBe(200)
  expect(await rowsOf(emailChanges, { userId: one.id })).toEqual([])

  const two = await owner()
  const { undoToken } = await changed(two)
  expect((await two.client.delete('/api/account', { password: PASSWORD })).status).toBe(200)
  expect((await undo(undoToken)).status).toBe(200)
  const token = await tokenOf(two.email, 'Choose a new password')
  await new Client().post('/api/auth/reset-password', { token, password: 'Mutare at noon' })
  expect((await logIn(two.email, 'Mutare at noon')).body.message).toContain('Welcome back')
})

test('the copy of a user’s data has earlier addresses, none that waits', async () => {
  const one = await owner()
  await changed(one)
  const waiting = newEmail()
  await ask(one.client, waiting)
  const { body } = await one.client.get('/api/account/export')
  expect(body.earlierEmails).toEqual([{ email: one.email, changedAt: expect.any(String) }])
  expect(JSON.stringify(body)).not.toContain(waiting)
})

test('old changes are deleted, and those of a purged account', async () => {
  const one = await owner()
  await changed(one)
  await ask(one.client, newEmail())
  const rows = () => rowsOf(emailChanges, { userId: one.id })
  await changeRows(emailChanges, { userId: one.id }, { expiresAt: Date.now() - 6.9 * DAY_MS })
  await removeUnverifiedAccounts(testCtx())
  expect(await rows()).toHaveLength(2)
  const [done] = await rows()
  await changeRows(emailChanges, { id: done!.id }, { expiresAt: Date.now() - 7.1 * DAY_MS })
  await removeUnverifiedAccounts(testCtx())
  const [left, ...others] = await rows()
  expect([left!.id === done!.id, others]).toEqual([false, []])
  await paidCredit(one.id)
  await changeRows(users, { id: one.id }, { deletedAt: Date.now() - 31 * DAY_MS })
  await purgeAccount(testCtx(), one.id)
  expect(await rows()).toEqual([])
  expect(await rowsOf(mails, { subjectId: left!.id })).toEqual([])
})
