import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { contactMessages } from '#worker/schema/contact.table.ts'
import {
  alreadyRegisteredMail,
  contactMail,
  memorialDeletedMail,
  passwordChangedMail,
  receiptMail,
  resetMail,
  verifyMail,
} from '#worker/features/mail/mail-templates.ts'
import { sendMail } from '#worker/features/mail/mail.jobs.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { mailRow, type MailKind } from '#worker/platform/outbox.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { newId, randomBase32 } from '#worker/platform/random.ts'
import { newEmail, PASSWORD } from '../../../../test/worker/accounts.ts'
import { Client, memorialOf, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf, receivedBy } from '../../../../test/worker/mailbox.ts'

const VICTIM = `victim.${randomBase32(8)}@family.test`

/** Text that has added headers, recipients, tags or another reading elsewhere (OWASP, fuzzdb, PayloadsAllTheThings). */
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

/** Every letter, with the text in every field that takes any. */
const letters = (text: string) => ({
  verify: verifyMail({ url: `${URL}${text}`, madeAt: at }),
  'already-registered': alreadyRegisteredMail({ loginUrl: `${URL}${text}`, forgotUrl: `${URL}${text}` }),
  reset: resetMail({ url: `${URL}${text}` }),
  'password-changed': passwordChangedMail({
    changedAt: at,
    forgotUrl: `${URL}${text}`,
    supportEmail: text,
  }),
  receipt: receiptMail({
    paymentId: text,
    amount: 6000,
    currency: 'usd',
    paidAt: at,
    memorialName: text,
    dashboardUrl: `${URL}${text}`,
    supportEmail: text,
  }),
  contact: contactMail({ messageId: text, email: text, subject: text, message: text }),
  'memorial-deleted': memorialDeletedMail({
    name: text,
    restorableUntil: at,
    dashboardUrl: `${URL}${text}`,
    supportEmail,
  }),
})

/** The tags of a letter with their attributes, without what an address or a line break puts there. */
const tagsOf = (html: string) =>
  (html.match(/<[^>]*>/gu) ?? [])
    .filter((tag) => tag !== '<br>')
    .map((tag) => tag.replace(/href="[^"]*"/u, 'href'))

test('W7: no text in any field of any letter becomes a tag or an attribute', () => {
  const harmless = letters('x')
  for (const text of HOSTILE) {
    const written = letters(text)
    for (const kind of Object.keys(written) as (keyof typeof written)[]) {
      expect([kind, text, tagsOf(written[kind].html)]).toEqual([kind, text, tagsOf(harmless[kind].html)])
    }
  }
})

const OUR_HEADERS = ['Auto-Submitted', 'From', 'Message-ID', 'Subject', 'To', 'X-Nhaka-Mail-Id']

/** A mail about something whose row holds this text, sent as the queue would: what arrived, and its headers. */
async function sentAbout(kind: MailKind, subjectId: string) {
  const ctx = testCtx()
  const row = mailRow(ctx, { kind, recipient: newEmail(), subjectId })
  await ctx.db.insert(mails).values(row)
  await sendMail(ctx, row.id)
  const [mail, ...others] = await receivedBy(row.recipient)
  expect(others).toEqual([])
  return { to: mail?.to, recipient: row.recipient, headers: mail?.headers ?? {} }
}

test('W7: whatever a row holds, its mail has one recipient, our headers and a subject of one line', async () => {
  const ctx = testCtx()
  const { memorial } = await memorialOf()
  for (const text of HOSTILE) {
    const id = newId('contactMessage')
    const message = { id, email: 'farai@family.test', subject: text, message: text, createdAt: at }
    await ctx.db.insert(contactMessages).values(message)
    await ctx.db.update(memorials).set({ honoureeFullName: text }).where(eq(memorials.id, memorial.id))
    const contact = await sentAbout('contact', id)
    const deleted = await sentAbout('memorial-deleted', memorial.id)
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

test('W7: a mail to somebody who may be a stranger repeats no name that was typed', async () => {
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
