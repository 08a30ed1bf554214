import { expect, test } from 'vitest'
import { registrations, users } from '#worker/schema/accounts.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { mailboxKey } from '#worker/platform/mailbox-key.ts'
import { attempt, newEmail, openLink, PASSWORD, verifyWith } from '../../../../test/worker/accounts.ts'
import { registered, registration } from '../../../../test/worker/accounts.ts'
import { Client } from '../../../../test/worker/harness.ts'
import { mailboxOf, receivedBy, tokenIn } from '../../../../test/worker/mailbox.ts'
import { atOnce, inTurn } from '../../../../test/worker/repeat.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const STRANGERS = 'the stranger knows this'
const CONFIRMED = { message: 'Your email address is confirmed. You can sign in now.' }
const NEEDS_PASSWORD = { needsPassword: true }

const logIn = async (email: string, password: string) => {
  const { status, body } = await new Client().post('/api/auth/login', { email, password })
  return [status, body.code ?? body.user.firstName]
}

/** What opening these links without a cookie answers. */
const opened = async (tokens: string[]) =>
  (await inTurn(tokens.length, (i) => openLink(new Client(), tokens[i]!))).map(({ status }) => status)

test(
  'in any order of registering, the owner’s browser confirms the owner’s password',
  { tags: ['confirming-voids-other-attempts'] },
  async () => {
    const email = newEmail()
    const before = await attempt(email, STRANGERS)
    const own = await attempt(email, PASSWORD, 2)
    const after = await attempt(email, STRANGERS, 3)
    expect((await openLink(own.client, own.token)).body).toEqual(CONFIRMED)
    expect(await logIn(email, PASSWORD)).toEqual([200, 'Rudo'])
    expect(await logIn(email, STRANGERS)).toEqual([401, 'invalid_credentials'])
    for (const { client, token } of [before, after]) {
      expect((await openLink(client, token)).status).toBe(410)
      expect((await verifyWith(token, STRANGERS)).status).toBe(410)
    }
    expect((await openLink(new Client(), own.token)).body).toEqual(CONFIRMED)
  },
)

test('guesses made before an address is confirmed do not close its first sign-in', async () => {
  const email = newEmail()
  const own = await attempt(email)
  await atOnce(31, () => logIn(email, STRANGERS))
  expect(await logIn(email, PASSWORD)).toEqual([429, 'too_many_requests'])
  await openLink(own.client, own.token)
  await atOnce(31, () => logIn(email, STRANGERS))
  expect((await own.client.post('/api/auth/login', { email, password: PASSWORD })).status).toBe(200)
})

test(
  'a stranger’s link that the owner opens confirms nothing but what the owner types',
  { tags: ['link-confirms-own-browser'] },
  async () => {
    const email = newEmail()
    const own = await attempt(email)
    const strange = await attempt(email, STRANGERS, 2)
    // A mail scanner, a phone after a laptop, the owner: also with the cookie of another attempt.
    for (const client of [new Client(), new Client(), own.client]) {
      const { status, body } = await openLink(client, strange.token)
      expect([status, body]).toEqual([200, NEEDS_PASSWORD])
    }
    expect((await rowsOf(users, { email }))[0]).toMatchObject({ emailVerifiedAt: null, passwordHash: 'none' })
    expect(await logIn(email, STRANGERS)).toEqual([403, 'email_unverified'])

    const weak = await verifyWith(strange.token, 'password', 'Chipo')
    expect([weak.status, weak.body.fields]).toEqual([400, { password: 'This password is too common' }])
    const done = await verifyWith(strange.token, 'Masvingo in the sun', 'Chipo')
    expect([done.status, done.body]).toEqual([200, CONFIRMED])
    expect(await logIn(email, 'Masvingo in the sun')).toEqual([200, 'Chipo'])
    for (const password of [STRANGERS, PASSWORD]) {
      expect(await logIn(email, password)).toEqual([401, 'invalid_credentials'])
    }
    expect((await openLink(own.client, own.token)).status).toBe(410)
    expect(await verifyWith(strange.token, STRANGERS)).toMatchObject({
      status: 410,
      body: { code: 'link_used' },
    })
    expect((await openLink(strange.client, strange.token)).body).toEqual(CONFIRMED)
  },
)

test('exactly one of 8 simultaneous uses of a link sets the password', async () => {
  const email = newEmail()
  const { token } = await attempt(email, STRANGERS)
  const answers = await atOnce(8, (i) => verifyWith(token, `a new beginning ${i}`))
  const won = answers.flatMap(({ status }, i) => (status === 200 ? [i] : []))
  expect(won).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 410)).toHaveLength(7)
  expect(await logIn(email, `a new beginning ${won[0]}`)).toEqual([200, 'Rudo'])
})

test(
  'an address has at most 5 open attempts; the newest and the owner’s stay open',
  { tags: ['five-open-attempts'] },
  async () => {
    const email = newEmail()
    const own = await attempt(email)
    const one = { ip: '198.51.100.5' }
    const tokens = [own.token]
    for (let nth = 2; nth <= 7; nth++) {
      const client = Object.assign(new Client(), nth % 2 === 0 ? one : {})
      await registered(email, `${STRANGERS} ${nth}`, client)
      tokens.push(tokenIn((await mailboxOf(email, nth))[0]))
    }
    // Two of the network with the most made room.
    expect(await opened(tokens)).toEqual([200, 410, 200, 410, 200, 200, 200])
    expect(await logIn(email, `${STRANGERS} 2`)).toEqual([401, 'invalid_credentials'])
    expect(await logIn(email, `${STRANGERS} 6`)).toEqual([403, 'email_unverified'])
    expect((await openLink(own.client, own.token)).body).toEqual(CONFIRMED)
    expect(await rowsOf(registrations, { usedAt: null })).toEqual([])
  },
)

test('a stranger’s mails do not use up the owner’s, and no unsent mail is claimed', async () => {
  const email = newEmail()
  const stranger = new Client()
  for (let nth = 1; nth <= 3; nth++) await registered(email, STRANGERS, stranger)
  const refused = await stranger.post('/api/auth/register', registration(email, STRANGERS))
  expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
  expect(refused.body.message).toContain('several emails to this address in the last hour')
  expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(3000)
  const resent = await stranger.post('/api/auth/resend-verification', { email })
  expect([resent.status, resent.body.message]).toEqual([200, refused.body.message])
  expect(await mailboxOf(email, 3)).toHaveLength(3)

  const own = await attempt(email, PASSWORD, 4)
  expect(await receivedBy(email)).toHaveLength(4)
  expect((await openLink(own.client, own.token)).body).toEqual(CONFIRMED)
  expect(await logIn(email, PASSWORD)).toEqual([200, 'Rudo'])
})

test('two attempts of one browser both confirm in it; its cookie is HttpOnly', async () => {
  const email = newEmail()
  const client = new Client()
  const answer = await client.post('/api/auth/register', registration(email, 'a first password'))
  expect(answer.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^registration=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/u),
  ])
  const first = tokenIn((await mailboxOf(email, 1))[0])
  await registered(email, PASSWORD, client)
  expect((await openLink(client, first)).body).toEqual(CONFIRMED)
  expect(await logIn(email, 'a first password')).toEqual([200, 'Rudo'])
})

test('a right password for an unconfirmed address counts as a failed login', async () => {
  const email = await registered()
  const client = new Client()
  const statuses = await inTurn(11, async () => {
    return (await client.post('/api/auth/login', { email, password: PASSWORD })).status
  })
  expect(statuses).toEqual([...Array(10).fill(403), 429])
})

test('a reset of an unconfirmed address voids the attempts', async () => {
  const email = newEmail()
  const strange = await attempt(email, STRANGERS)
  await new Client().post('/api/auth/forgot-password', { email })
  const token = tokenIn((await mailboxOf(email, 2))[0])
  await new Client().post('/api/auth/reset-password', { token, password: PASSWORD })
  expect((await openLink(strange.client, strange.token)).status).toBe(410)
  expect(await logIn(email, PASSWORD)).toEqual([200, 'Rudo'])
})

test('a link from before the change of PASSWORD_PEPPER can be mailed again', async () => {
  const email = newEmail()
  const { client, token } = await attempt(email)
  const [row] = await rowsOf(registrations, { mailId: (await rowsOf(mails, { recipient: email }))[0]!.id })
  // A hash that no pepper makes: the link is replaced.
  await changeRows(registrations, { id: row!.id }, { tokenHash: 'made with a lost pepper' })
  await client.post('/api/auth/resend-verification', { email })
  const renewed = tokenIn((await mailboxOf(email, 2))[0])
  expect(renewed).not.toBe(token)
  expect((await openLink(client, renewed)).body).toEqual(CONFIRMED)
})

test('plus-addresses, and dots at Gmail, lead to one mailbox', () => {
  expect(mailboxKey('rudo+mum@family.test')).toBe('rudo@family.test')
  expect(mailboxKey('ru.do@family.test')).toBe('ru.do@family.test')
  for (const email of ['rudo.moyo@gmail.com', 'ru.do.mo.yo+a+b@googlemail.com']) {
    expect(mailboxKey(email)).toBe('rudomoyo@gmail.com')
  }
})

test('plus-addresses share the mails of their mailbox, and are accounts of their own', async () => {
  const name = newEmail().split('@')[0]
  const client = new Client()
  const statuses = await inTurn(4, async (i) => {
    const email = `${name}+${i}@family.test`
    return (await client.post('/api/auth/register', registration(email))).status
  })
  expect(statuses).toEqual([201, 201, 201, 429])
  for (const i of [0, 1, 2]) expect(await mailboxOf(`${name}+${i}@family.test`, 1)).toHaveLength(1)
})
