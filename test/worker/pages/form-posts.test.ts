import { expect, test } from 'vitest'
import { emailChangeMessages } from '#shared/accounts/email-change-messages.ts'
import { emailLinkMessages } from '#shared/accounts/email-link-messages.ts'
import { CONTACT_MESSAGE_MAX, JSON_BODY_MAX_BYTES, RATE_LIMITS, REPORTS_TO_FOLD } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { reportMessages } from '#shared/removal/report-messages.ts'
import { reportErrors } from '#shared/removal/report-reasons.ts'
import type { ReportedPage } from '#shared/removal/reports.ts'
import { emailChanges } from '#worker/schema/accounts.table.ts'
import { contactMessages } from '#worker/schema/mail.table.ts'
import { attempt, confirmed, newEmail, PASSWORD, registered } from '../accounts.ts'
import { Client, memorialOf, testCtx } from '../harness.ts'
import { mailboxOf, tokenIn } from '../mailbox.ts'
import { rowsOf } from '../rows.ts'
import { exhaustRateLimit, uploadFixture } from '../uploads.ts'
import { headerProblems } from '../../expected-headers.ts'
import { serverMessages } from '../../../src/worker/platform/server-messages.ts'

const NEW_PASSWORD = 'sunbird-over-chimanimani'
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const post = (path: string, fields: Record<string, string>, client = new Client(), headers = {}) =>
  client.postForm(path, fields, headers)

/** The parts that a page lacks: a whole page in a failure message is unreadable. */
const missing = (html: string, parts: string[]) => parts.filter((part) => !html.includes(part))

const person = (email: string, password = NEW_PASSWORD) => ({
  firstName: 'Rudo',
  lastName: 'Moyo',
  email,
  password,
  confirmPassword: password,
})

test('a login without script sets the session and leads to where one was going', async () => {
  const email = await confirmed()
  for (const [path, to] of [
    ['/login', '/dashboard'],
    ['/login?next=%2Fcheckout%3FmemorialId%3Dmem_a', '/checkout?memorialId=mem_a'],
    ['/login?next=%2F%2Fevil.example', '/dashboard'],
    ['/checkout?memorialId=mem_a', '/checkout?memorialId=mem_a'],
  ] as const) {
    const client = new Client()
    const { answer, ...seen } = await post(path, { email, password: PASSWORD }, client)
    expect([seen.status, seen.to, answer.headers.get('Cache-Control')]).toEqual([
      303,
      to,
      'private, no-store',
    ])
    expect((await client.get('/api/auth/user')).body).toMatchObject({ email })
  }
})

test('a refused login keeps the address, says why, and repeats no password', async () => {
  const email = newEmail()
  const { answer, status, html } = await post('/login?next=%2Ffaq', { email, password: PASSWORD })
  expect([status, headerProblems(answer, 'page')]).toEqual([401, []])
  expect(answer.headers.get('Cache-Control')).toBe('private, no-store')
  const register = 'href="/register?next=%2Ffaq"'
  expect(
    missing(html, [messages.login.failedTitle, messages.login.invalid, `value="${email}"`, register]),
  ).toEqual([])
  expect(html.includes(PASSWORD)).toBe(false)
  const empty = await post('/login', { email: '', password: '' })
  expect([empty.status, missing(empty.html, [messages.form.fillAll, messages.form.missing.email])]).toEqual([
    400,
    [],
  ])
})

test('who has not confirmed the address gets a new link without script', async () => {
  const email = await registered()
  const refused = await post('/login', { email, password: PASSWORD })
  expect([refused.status, missing(refused.html, ['name="form" value="resend"', 'Send a new link'])]).toEqual([
    403,
    [],
  ])
  const resent = await post('/login?next=%2Ffaq', { form: 'resend', email })
  expect([resent.status, resent.to]).toEqual([303, '/login?next=%2Ffaq&resent=1'])
  const page = await new Client().fetch(resent.to ?? '')
  expect(missing(await page.text(), [messages.verify.resent])).toEqual([])
  const wrong = await post('/login', { form: 'resend', email: 'rudo' })
  expect([wrong.status, missing(wrong.html, [messages.contact.emailInvalid, 'value="rudo"'])]).toEqual([
    400,
    [],
  ])
})

test('a registration without script leads to the login, and its link confirms', async () => {
  const client = new Client()
  const email = newEmail()
  const sent = await post('/register?next=%2Ffaq', person(email), client)
  expect([sent.status, sent.to]).toEqual([303, '/login?next=%2Ffaq&registered=1'])
  const login = await (await client.fetch(sent.to ?? '')).text()
  expect(missing(login, [messages.register.success])).toEqual([])
  const token = tokenIn((await mailboxOf(email, 1))[0])
  const page = await (await client.fetch(`/verify-email/${token}`)).text()
  expect([missing(page, ['name="form" value="open"']), page.includes(token)]).toEqual([[], false])
  const opened = await post(`/verify-email/${token}`, { form: 'open' }, client, {
    Origin: 'null',
    'Sec-Fetch-Site': 'same-origin',
  })
  expect([opened.status, opened.to]).toEqual([303, `/verify-email/${token}?done=1`])
  const done = await (await client.fetch(opened.to ?? '')).text()
  expect(missing(done, [messages.verify.success])).toEqual([])
  expect((await post('/login', { email, password: NEW_PASSWORD })).to).toBe('/dashboard')
})

test('a refused registration keeps all words but the passwords', async () => {
  const words = ['value="Rudo"', 'value="Moyo"', 'value="rudo@family.test"']
  for (const [fields, text] of [
    [{ confirmPassword: 'another-password' }, messages.password.mismatch],
    [{ password: 'short', confirmPassword: 'short' }, messages.password.tooShort],
    [{ password: 'password123', confirmPassword: 'password123' }, 'This password is too common'],
  ] as const) {
    const { status, html } = await post('/register', { ...person('rudo@family.test'), ...fields })
    expect([status, missing(html, [text, ...words])]).toEqual([400, []])
    expect(Object.values(fields).filter((secret) => html.includes(`"${secret}"`))).toEqual([])
  }
})

test('on another device, the link of a registration asks for name and password', async () => {
  const email = newEmail()
  const { token } = await attempt(email)
  const phone = new Client()
  const opened = await post(`/verify-email/${token}`, { form: 'open' }, phone)
  expect([opened.status, opened.to]).toEqual([303, `/verify-email/${token}?password=1`])
  const asked = await (await phone.fetch(opened.to ?? '')).text()
  expect(missing(asked, ['name="firstName"', 'name="password"', 'Confirm my email'])).toEqual([])
  const fields = { firstName: 'Rudo', lastName: '', password: NEW_PASSWORD }
  const refused = await post(opened.to ?? '', fields, phone)
  expect([refused.status, missing(refused.html, ['value="Rudo"', messages.form.missing.lastName])]).toEqual([
    400,
    [],
  ])
  const done = await post(opened.to ?? '', { ...fields, lastName: 'Moyo' }, phone)
  expect([done.status, done.to]).toEqual([303, `/verify-email/${token}?done=1`])
  const used = await post('/verify-email/no-such-token', { form: 'open' }, phone)
  expect([used.status, missing(used.html, [messages.verify.failedTitle, messages.verify.invalid])]).toEqual([
    410,
    [],
  ])
})

test('a password is reset without script, and a used link says so', async () => {
  const email = await confirmed()
  const asked = await post('/forgot-password', { email })
  expect([asked.status, asked.to]).toEqual([303, '/forgot-password?sent=1'])
  const sent = await (await new Client().fetch('/forgot-password?sent=1')).text()
  expect(missing(sent, ['Check Your Email', messages.forgot.sent])).toEqual([])
  const token = tokenIn((await mailboxOf(email, 2))[0])
  const path = `/reset-password/${token}`
  // A page whose address holds a token sends no referrer, so its form comes with this origin.
  const own = { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' }
  const fields = { password: NEW_PASSWORD, confirmPassword: NEW_PASSWORD }
  const typo = await post(path, { ...fields, confirmPassword: 'another' }, new Client(), own)
  expect([typo.status, missing(typo.html, [messages.password.mismatch]), typo.html.includes(token)]).toEqual([
    400,
    [],
    false,
  ])
  const done = await post(path, fields, new Client(), own)
  expect([done.status, done.to]).toEqual([303, `${path}?done=1`])
  const page = await (await new Client().fetch(`${path}?done=1`)).text()
  expect([missing(page, ['Password Reset Complete', messages.reset.success]), page.includes(token)]).toEqual([
    [],
    false,
  ])
  const used = await post(path, fields, new Client(), own)
  expect([used.status, missing(used.html, ['Invalid Reset Link', messages.reset.invalid])]).toEqual([410, []])
  expect((await post('/login', { email, password: NEW_PASSWORD })).to).toBe('/dashboard')
})

test('an address is confirmed, and its change undone, without script', async () => {
  const [email, other] = [await confirmed(), newEmail()]
  const client = new Client()
  await client.post('/api/auth/login', { email, password: PASSWORD })
  await client.post('/api/account/email', { email: other, password: PASSWORD })
  const own = { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' }
  const shown = async (path: string) => (await new Client().fetch(path)).text()
  const words = emailLinkMessages
  const [first, second] = [
    `/confirm-email/${tokenIn((await mailboxOf(other, 1))[0])}`,
    `/confirm-email/${tokenIn((await mailboxOf(email, 2))[0])}`,
  ]
  expect(missing(await shown(first), [words.confirmTitle, words.confirmButton])).toEqual([])
  // Programs that check mails open links: that confirms nothing.
  expect((await shown(second)).includes(words.confirmTitle)).toBe(true)
  expect((await rowsOf(emailChanges, { newEmail: other }))[0]).toMatchObject({
    oldConfirmedAt: null,
    newConfirmedAt: null,
  })
  const waiting = await post(first, {}, new Client(), own)
  expect([waiting.status, waiting.to]).toEqual([303, `${first}?sent=1`])
  expect(missing(await shown(waiting.to!), [words.waitingTitle])).toEqual([])
  const done = await post(second, {}, new Client(), own)
  expect([done.status, done.to]).toEqual([303, `${second}?done=1`])
  expect(missing(await shown(done.to!), [words.changedTitle])).toEqual([])
  const undo = `/undo-email/${tokenIn((await mailboxOf(email, 3))[0])}`
  expect(missing(await shown(undo), [words.undoTitle, words.undoButton])).toEqual([])
  const undone = await post(undo, {}, new Client(), own)
  expect([undone.status, undone.to]).toEqual([303, `${undo}?done=1`])
  expect(missing(await shown(undone.to!), [words.undoneTitle])).toEqual([])
  const used = await post(undo, {}, new Client(), own)
  expect([used.status, missing(used.html, [words.deadTitle, emailChangeMessages.undoUsed])]).toEqual([
    410,
    [],
  ])
  const old = await post(first, {}, new Client(), own)
  expect([old.status, missing(old.html, [words.deadTitle])]).toEqual([410, []])
})

test('a message to support is stored as typed; a refused one stays in the form', async () => {
  const email = newEmail()
  const fields = { email, subject: 'The <photo>', message: 'First line.\r\nSecond "line".' }
  const long = await post('/contact', { ...fields, message: 'x'.repeat(CONTACT_MESSAGE_MAX + 1) })
  expect([
    long.status,
    missing(long.html, [messages.contact.messageTooLong, 'value="The &lt;photo&gt;"']),
  ]).toEqual([400, []])
  const sent = await post('/contact', fields)
  expect([sent.status, sent.to]).toEqual([303, '/contact?sent=1'])
  const removal = { memorial: 'Tendai', reason: '', what: 'The photo.', email }
  const none = await post('/request-removal', { ...removal, reason: 'It shows me', what: '' })
  expect([none.status, missing(none.html, ['value="Tendai"', 'selected="">It shows me'])]).toEqual([400, []])
  expect((await post('/request-removal', removal)).to).toBe('/request-removal?sent=1')
  const stored = await testCtx().db.select().from(contactMessages)
  expect(
    stored
      .filter((row) => row.email === email)
      .map(({ message }) => message)
      .toSorted(),
  ).toEqual(['First line.\nSecond "line".', 'Memorial: Tendai\n\nThe photo.'])
})

test('a report without script names its item and counts, with the limits of the API', async () => {
  const { owner, memorial, path } = await memorialOf()
  const photo = (await uploadFixture(owner, memorial.id, 'photo.png')).body.id
  await owner.patch(path, { visitorMessages: 'AT_ONCE' })
  await owner.patch(`${path}/privacy`, { privacy: 'LOCKED' })
  const left = await new Client().post(`/api/memorial/${memorial.slug}/visitor-messages`, {
    name: 'Farai',
    body: 'She still owes my cousin money.',
  })
  const item: string = left.body.comment.id
  const page = `/report?item=${item}`
  const shown = async (address: string) => (await new Client().fetch(address)).text()
  expect(missing(await shown(`/m/${memorial.slug}`), [`href="${page}"`])).toEqual([])
  const form = ['Report this message', 'value="report-message"', `value="${item}"`]
  expect(missing(await shown(page), form)).toEqual([])
  const report = { form: 'report-message', item, reason: 'UNTRUE', words: 'A lie.' }
  const none = await post(page, { ...report, reason: '' })
  expect([none.status, missing(none.html, [...form, reportErrors.reasonRequired, 'A lie.'])]).toEqual([
    400,
    [],
  ])
  for (let n = 0; n < REPORTS_TO_FOLD; n++)
    expect(await post(page, report)).toMatchObject({ status: 303, to: `${page}&sent=1` })
  expect(missing(await shown(`${page}&sent=1`), [reportMessages.thanks])).toEqual([])
  expect(await shown(`/m/${memorial.slug}`)).not.toContain('She still owes')
  const ofPhoto = { ...report, form: 'report-media', item: photo }
  expect((await post(`/report?item=${photo}`, ofPhoto)).status).toBe(303)
  const { media, comments } = (await owner.get<ReportedPage>(`${path}/reports`)).body
  expect([...media, ...comments].map(({ id, reports }) => [id, reports.count])).toEqual([
    [photo, 1],
    [item, REPORTS_TO_FOLD],
  ])
  expect((await post(page, report)).status).toBe(404)
  await exhaustRateLimit('reportsOfMemorial', memorial.id, RATE_LIMITS.reportsOfMemorial.limit)
  const full = await post(page, ofPhoto)
  expect([full.status, missing(full.html, [...form.slice(0, 1), reportMessages.tooMany])]).toEqual([429, []])
  expect((await post('/report?item=../x', { ...report, item: '../x' })).status).toBe(404)
})

test('the limits of the API hold for forms, and the words stay', async () => {
  const client = new Client()
  const fields = { email: newEmail(), subject: 'Hello', message: 'A question.' }
  const statuses = []
  for (let i = 0; i < 4; i++) statuses.push((await post('/contact', fields, client)).status)
  expect(statuses).toEqual([303, 303, 303, 429])
  const { answer, html } = await post('/contact', fields, client)
  expect([answer.headers.has('Retry-After'), missing(html, ['A question.'])]).toEqual([true, []])
})

test('a form from another site does nothing and shows none of its words', async () => {
  const email = newEmail()
  const fields = { email, subject: 'Hello', message: 'From elsewhere.' }
  for (const headers of [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: 'null', 'Sec-Fetch-Site': 'none' },
    { Origin: 'null', 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
  ]) {
    const { status, html } = await post('/contact', fields, new Client(), headers)
    expect([status, missing(html, [serverMessages.system.crossSite]), html.includes('elsewhere')]).toEqual([
      403,
      [],
      false,
    ])
  }
  const stored = await testCtx().db.select().from(contactMessages)
  expect(stored.filter((row) => row.email === email)).toEqual([])
})

test('only forms are taken: other methods, types and paths stay 405', async () => {
  const client = new Client()
  const ask = async (
    path: string,
    init: { method: string; body?: string; headers?: Record<string, string> },
  ) => (await client.fetch(path, init)).status
  expect(await ask('/login', { method: 'POST' })).toBe(405)
  expect(await ask('/login', { method: 'PUT', body: 'email=x', headers: FORM })).toBe(405)
  expect(await ask('/faq', { method: 'POST', body: 'email=x', headers: FORM })).toBe(405)
  expect(await ask('/nope', { method: 'POST', body: 'email=x', headers: FORM })).toBe(405)
  const json = { 'Content-Type': 'application/json' }
  expect(await ask('/login', { method: 'POST', body: '{}', headers: json })).toBe(405)
  expect(await ask('/login', { method: 'POST', body: 'form=constructor', headers: FORM })).toBe(400)
  const large = `message=${'x'.repeat(JSON_BODY_MAX_BYTES)}`
  expect(await ask('/contact', { method: 'POST', body: large, headers: FORM })).toBe(413)
})

test('a cached screen is the same for every token, and only for visitors', async () => {
  const visitor = new Client()
  const open = async (path: string, headers = {}) => {
    const answer = await visitor.fetch(path, { headers })
    return { html: await answer.text(), caching: answer.headers.get('Cloudflare-CDN-Cache-Control') }
  }
  for (const path of ['/reset-password', '/verify-email']) {
    const [one, other] = [await open(`${path}/first-secret`), await open(`${path}/second-secret`)]
    expect([one.html === other.html, one.html.includes('secret')]).toEqual([true, false])
    expect(one.caching).toContain('max-age=60')
    const queried = await open(`${path}/first-secret?done=1`)
    expect([queried.caching, queried.html.includes('secret')]).toEqual([null, false])
  }
  const app = await open('/faq', { Cookie: 'session=abc' })
  expect([app.html.includes('Is there a monthly fee?'), app.html.includes('id="root"')]).toEqual([
    false,
    true,
  ])
  expect((await open('/faq')).html.includes('Is there a monthly fee?')).toBe(true)
})

test('a screen that needs a session is the login for others, at its own address', async () => {
  const visitor = new Client()
  for (const path of ['/dashboard', '/create-memorial/mem_a?step=2', '/memorial/mem_a/plaque']) {
    const answer = await visitor.fetch(path)
    const html = await answer.text()
    const next = `/login?next=${encodeURIComponent(path)}`
    expect([answer.status, missing(html, [`data-address="${next}"`, '<title>Login · '])]).toEqual([200, []])
    expect(answer.headers.get('Cache-Control')).toBe('private, no-store')
  }
})
