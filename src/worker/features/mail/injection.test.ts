import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { contactMessages, mails } from '#worker/schema/mail.table.ts'
import * as emailChange from '#worker/features/mail/email-change-mails.ts'
import * as templates from '#worker/features/mail/mail-templates.ts'
import { paidForYouMail, receiptMail, thanksMail } from '#worker/features/mail/payment-mails.ts'
import { followConfirmMail, followDayMail, followDigestMail } from '#worker/features/mail/follower-mails.ts'
import { gatheringChangedMail, replyMail } from '#worker/features/mail/reply-mails.ts'
import { sendMail } from '#worker/features/mail/mail.jobs.ts'
import { mailRow, type MailKind } from '#worker/platform/providers/mail.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { newId, randomBase32 } from '#worker/platform/random.ts'
import { newEmail, PASSWORD } from '../../../../test/worker/accounts.ts'
import { Client, memorialOf, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf, receivedBy } from '../../../../test/worker/mailbox.ts'

const VICTIM = `victim.${randomBase32(8)}@family.test`

/** Text that added headers, recipients, tags or a misreading in other products (OWASP, fuzzdb, PayloadsAllTheThings). */
const HOSTILE = [
  `x\r\nBcc: ${VICTIM}`,
  `x\nTo: ${VICTIM}\nSubject: other`,
  `x\rCc: ${VICTIM}`,
  `x\r\n\r\n<h1>Another body</h1>`,
  `x\u0000\r\nBcc: ${VICTIM}`,
  `x\u2028Bcc: ${VICTIM}\u2029`,
  `x\u0085Bcc: ${VICTIM}`,
  `x%0d%0aBcc: ${VICTIM}`,
  `=?utf-8?q?x=0D=0ABcc:_${VICTIM}?=`,
  `"Support" <${VICTIM}>, x`,
  `x\n.\nMAIL FROM:<${VICTIM}>`,
  'x\r\nContent-Type: text/html\r\n\r\n<b>',
  '--boundary\r\nContent-Disposition: attachment; filename=a.exe',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</p></div></body></html><a href="https://evil.example">Confirm</a>',
  '<!--',
  '<style>body{display:none}</style>',
  '&lt;b&gt;&#60;i&#62;',
  '\u202egnp.exe\u202c \u2066x\u2069 \u200b\ufeff',
  '{{7*7}} ${7*7} <%= 7*7 %> #{7*7}',
  `[click](https://evil.example)`,
]

const URL = 'https://nhaka.test/verify-email/t'
const at = Date.UTC(2026, 10, 20, 8, 5)
const supportEmail = 'support@nhaka.test'

/** Renders every mail with the text in each field that accepts text. */
/** Facts of a gathering at a place with this text. */
const factsOf = (place: string) => ({
  dateTime: '2026-06-06T08:00:00.000Z',
  endDateTime: null,
  timeZone: 'Africa/Harare',
  place,
  isCancelled: false,
})

const followed = (text: string) => ({
  name: text,
  url: `${URL}${text}`,
  endUrl: `${URL}${text}`,
  isPublic: false,
})

const renderAll = (text: string) => ({
  verify: templates.verifyMail({ url: `${URL}${text}`, createdAt: at, hours: 24 }),
  'already-registered': templates.alreadyRegisteredMail({
    loginUrl: `${URL}${text}`,
    forgotUrl: `${URL}${text}`,
  }),
  reset: templates.resetMail({ url: `${URL}${text}`, minutes: 60 }),
  'password-changed': templates.passwordChangedMail({
    changedAt: at,
    forgotUrl: `${URL}${text}`,
    supportEmail: text,
  }),
  'email-change-new': emailChange.emailChangeNewMail({ url: `${URL}${text}`, hours: 24 }),
  'email-change-taken': emailChange.emailChangeTakenMail({
    loginUrl: `${URL}${text}`,
    forgotUrl: `${URL}${text}`,
  }),
  'email-change-old': emailChange.emailChangeOldMail({
    newEmail: text,
    url: `${URL}${text}`,
    hours: 24,
    forgotUrl: `${URL}${text}`,
  }),
  'email-changed': emailChange.emailChangedMail({
    newEmail: text,
    undoUrl: `${URL}${text}`,
    undoUntil: at,
    supportEmail: text,
  }),
  'email-change-undone': emailChange.emailChangeUndoneMail({ supportEmail: text }),
  receipt: receiptMail({
    paymentId: text,
    amount: 6000,
    currency: 'usd',
    paidAt: at,
    what: text,
    button: { label: 'Go on', url: `${URL}${text}` },
    supportEmail: text,
    gift: { code: text, redeemUrl: `${URL}${text}` },
  }),
  'paid-for-you': paidForYouMail({
    payerName: text,
    amount: 6000,
    currency: 'usd',
    dashboardUrl: `${URL}${text}`,
  }),
  thanks: thanksMail({ fromName: text, words: text, supportEmail: text }),
  contact: templates.contactMail({ messageId: text, email: text, subject: text, message: text }),
  'draft-ending': templates.draftEndingMail({
    name: text,
    removedOn: at,
    memorialUrl: `${URL}${text}`,
  }),
  'draft-removed': templates.draftRemovedMail({
    name: text,
    restorableUntil: at,
    dashboardUrl: `${URL}${text}`,
    supportEmail: text,
  }),
  'memorial-removed': templates.memorialRemovedMail({
    name: text,
    reason: text,
    contactUrl: `${URL}${text}`,
    supportEmail: text,
  }),
  'memorial-restored': templates.memorialRestoredMail({
    name: text,
    dashboardUrl: `${URL}${text}`,
    supportEmail: text,
  }),
  'memorial-deleted': templates.memorialDeletedMail({
    name: text,
    restorableUntil: at,
    dashboardUrl: `${URL}${text}`,
    supportEmail,
  }),
  waiting: templates.waitingMail({
    name: text,
    waiting: { IMAGE: 0, VIDEO: 0, AUDIO: 0, comments: 1, mayHurt: 0, asking: 0 },
    total: 1,
    queueUrl: `${URL}${text}`,
    unsubscribeUrl: `${URL}${text}`,
  }),
  'visitor-words': templates.visitorWordsMail({ url: `${URL}${text}` }),
  'contributor-code': templates.contributorCodeMail({ code: text, minutes: 15 }),
  'follow-confirm': followConfirmMail({ name: text, url: `${URL}${text}` }),
  'follow-digest': followDigestMail({ ...followed(text), added: ['2 photos'] }),
  'follow-day': followDayMail({ ...followed(text), isBirthday: true, isPassing: true, dates: text }),
  reply: replyMail({ name: text, title: text, facts: factsOf(text), url: `${URL}${text}`, isSorry: false }),
  'gathering-changed': gatheringChangedMail({
    name: text,
    title: text,
    before: factsOf(text),
    facts: factsOf(text),
    url: `${URL}${text}`,
  }),
})

/** The tags of a mail with their attributes, without `<br>` and the values of `href`. */
const tagsOf = (html: string) =>
  (html.match(/<[^>]*>/gu) ?? [])
    .filter((tag) => tag !== '<br>')
    .map((tag) => tag.replace(/href="[^"]*"/u, 'href'))

test('no text in any field of any mail becomes a tag or an attribute', () => {
  const baseline = renderAll('x')
  for (const text of HOSTILE) {
    const rendered = renderAll(text)
    for (const kind of Object.keys(rendered) as (keyof typeof rendered)[]) {
      expect([kind, text, tagsOf(rendered[kind].html)]).toEqual([kind, text, tagsOf(baseline[kind].html)])
    }
  }
})

const OUR_HEADERS = ['Auto-Submitted', 'From', 'Message-ID', 'Subject', 'To', 'X-Nhaka-Mail-Id']

/** Sends a mail about a row that holds this text, as the queue would, and returns what arrived. */
async function sendMailAbout(kind: MailKind, subjectId: string) {
  const ctx = testCtx()
  const row = mailRow(ctx, { kind, recipient: newEmail(), subjectId })
  await ctx.db.insert(mails).values(row)
  await sendMail(ctx, row.id)
  const [mail, ...others] = await receivedBy(row.recipient)
  expect(others).toEqual([])
  return { to: mail?.to, recipient: row.recipient, headers: mail?.headers ?? {} }
}

test('every mail has one recipient, only our headers and a one-line subject', async () => {
  const ctx = testCtx()
  const { memorial } = await memorialOf()
  for (const text of HOSTILE) {
    const id = newId('contactMessage')
    const message = { id, email: 'farai@family.test', subject: text, message: text, createdAt: at }
    await ctx.db.insert(contactMessages).values(message)
    await ctx.db.update(memorials).set({ honoureeFullName: text }).where(eq(memorials.id, memorial.id))
    const contact = await sendMailAbout('contact', id)
    const deleted = await sendMailAbout('memorial-deleted', memorial.id)
    for (const { to, recipient, headers } of [contact, deleted]) {
      expect(to).toBe(recipient)
      expect(headers['To']).toBe(recipient)
      // eslint-disable-next-line no-control-regex -- looking for control characters is the purpose
      expect(headers['Subject']).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/u)
    }
    expect(Object.keys(contact.headers).toSorted()).toEqual([...OUR_HEADERS, 'Reply-To'].toSorted())
    expect(Object.keys(deleted.headers).toSorted()).toEqual(OUR_HEADERS)
    expect(deleted.headers['Subject']).toBe('A memorial was deleted')
  }
  expect(await receivedBy(VICTIM)).toEqual([])
})

test('a mail that may reach a stranger repeats no name that somebody typed', async () => {
  const email = newEmail()
  const name = 'Win $1000 at evil.example'
  await new Client().post('/api/auth/register', {
    email,
    password: PASSWORD,
    firstName: name,
    lastName: name,
  })
  await new Client().post('/api/auth/forgot-password', { email })
  const received = await mailboxOf(email, 2)
  expect(received.map(({ subject }) => subject)).toEqual([
    'Choose a new password',
    'Please confirm your email address',
  ])
  expect(JSON.stringify(received)).not.toContain('evil.example')
})
