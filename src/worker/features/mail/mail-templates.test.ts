import { expect, test } from 'vitest'
import * as emailChange from '#worker/features/mail/email-change-mails.ts'
import * as templates from '#worker/features/mail/mail-templates.ts'
import { paidForYouMail, receiptMail, refundMail, thanksMail } from '#worker/features/mail/payment-mails.ts'
import { followConfirmMail, followDayMail, followDigestMail } from '#worker/features/mail/follower-mails.ts'
import { gatheringChangedMail, replyMail } from '#worker/features/mail/reply-mails.ts'
import { parseMailbox } from '#worker/platform/providers/mail.ts'

const URL = 'https://nhaka.test/path/token_-1?a=1&b=2'
const HOSTILE = `<img src=x onerror="alert(1)">&'`
const at = Date.UTC(2026, 10, 20, 8, 5)
const supportEmail = 'support@nhaka.test'
const FACTS = {
  dateTime: '2026-06-06T08:00:00.000Z',
  endDateTime: null,
  timeZone: 'Africa/Harare',
  place: 'Yeovil Cemetery, Mutare',
  isCancelled: false,
}

const FOLLOWED = { name: HOSTILE, url: URL, endUrl: 'https://nhaka.test/unfollow/t', isPublic: true }
const renderedMails = {
  verify: templates.verifyMail({ url: URL, createdAt: at, hours: 24 }),
  'already-registered': templates.alreadyRegisteredMail({ loginUrl: URL, forgotUrl: `${URL}&c=3` }),
  reset: templates.resetMail({ url: URL, minutes: 60 }),
  'password-changed': templates.passwordChangedMail({ changedAt: at, forgotUrl: URL, supportEmail }),
  'email-change-new': emailChange.emailChangeNewMail({ url: URL, hours: 24 }),
  'email-change-taken': emailChange.emailChangeTakenMail({ loginUrl: URL, forgotUrl: `${URL}&c=3` }),
  'email-change-old': emailChange.emailChangeOldMail({
    newEmail: HOSTILE,
    url: URL,
    hours: 24,
    forgotUrl: `${URL}&c=3`,
  }),
  'email-changed': emailChange.emailChangedMail({
    newEmail: HOSTILE,
    undoUrl: URL,
    undoUntil: at,
    supportEmail,
  }),
  'email-change-undone': emailChange.emailChangeUndoneMail({ supportEmail }),
  receipt: receiptMail({
    paymentId: 'pay_1',
    amount: 6000,
    currency: 'usd',
    paidAt: at,
    what: 'the memorial of Tendai Moyo',
    button: { label: 'Go to my memorials', url: URL },
    supportEmail,
    gift: { code: 'ABCD-EFGH-JKMN-PQRS', redeemUrl: `${URL}&c=4` },
  }),
  'paid-for-you': paidForYouMail({
    payerName: HOSTILE,
    amount: 6000,
    currency: 'usd',
    dashboardUrl: URL,
  }),
  thanks: thanksMail({ fromName: 'Rudo', words: HOSTILE, supportEmail }),
  refund: refundMail({
    paymentId: 'pay_1',
    amount: 6000,
    currency: 'usd',
    refundedAt: at,
    reason: HOSTILE,
    what: 'the memorial of Tendai Moyo',
    button: { label: 'Go to my memorials', url: URL },
    isByCard: true,
    supportEmail,
  }),
  contact: templates.contactMail({
    messageId: 'msg_1',
    email: 'farai@family.test',
    subject: HOSTILE,
    message: `${HOSTILE}\nsecond line`,
  }),
  'memorial-deleted': templates.memorialDeletedMail({
    name: HOSTILE,
    restorableUntil: at,
    dashboardUrl: URL,
    supportEmail,
  }),
  'memorial-removed': templates.memorialRemovedMail({
    name: 'Tendai Moyo',
    reason: HOSTILE,
    contactUrl: URL,
    supportEmail,
  }),
  'memorial-restored': templates.memorialRestoredMail({ name: HOSTILE, dashboardUrl: URL, supportEmail }),
  'draft-ending': templates.draftEndingMail({ name: HOSTILE, removedOn: at, memorialUrl: URL }),
  'draft-removed': templates.draftRemovedMail({
    name: HOSTILE,
    restorableUntil: at,
    dashboardUrl: URL,
    supportEmail,
  }),
  'account-deleted': templates.accountDeletedMail({
    memorials: 2,
    restorableUntil: at,
    loginUrl: URL,
    supportEmail,
  }),
  waiting: templates.waitingMail({
    name: HOSTILE,
    waiting: { IMAGE: 1, VIDEO: 0, AUDIO: 0, comments: 2, mayHurt: 1, asking: 0 },
    total: 3,
    queueUrl: URL,
    unsubscribeUrl: URL,
  }),
  'visitor-words': templates.visitorWordsMail({ url: URL }),
  'contributor-code': templates.contributorCodeMail({ code: '012345', minutes: 15 }),
  'follow-confirm': followConfirmMail({ name: HOSTILE, url: URL }),
  'follow-digest': followDigestMail({ ...FOLLOWED, added: ['2 photos', '1 message'] }),
  'follow-day': followDayMail({ ...FOLLOWED, isBirthday: true, isPassing: false, dates: 'Born 1948' }),
  reply: replyMail({ name: HOSTILE, title: 'Burial', facts: FACTS, url: URL, isSorry: false }),
  'gathering-changed': gatheringChangedMail({
    name: HOSTILE,
    title: 'Burial',
    before: { ...FACTS, place: HOSTILE },
    facts: { ...FACTS, dateTime: '2026-06-06T09:00:00.000Z' },
    url: URL,
  }),
}

test('each kind has its own one-line subject that never names who died', () => {
  const subjects = Object.fromEntries(
    Object.entries(renderedMails).map(([kind, { subject }]) => [kind, subject]),
  )
  expect(subjects).toEqual({
    verify: 'Please confirm your email address',
    'already-registered': 'You already have an account',
    reset: 'Choose a new password',
    'password-changed': 'Your password was changed',
    'email-change-new': 'Please confirm your new email address',
    'email-change-taken': 'This address has an account',
    'email-change-old': 'Is your email address changing?',
    'email-changed': 'Your email address was changed',
    'email-change-undone': 'The change of your email address was undone',
    receipt: 'Your receipt: $60.00',
    refund: 'Your refund: $60.00',
    'paid-for-you': 'Somebody has paid for your memorial',
    thanks: 'Thank you for the memorial',
    contact: `Contact form: ${HOSTILE}`,
    'memorial-deleted': 'A memorial was deleted',
    'memorial-removed': 'A memorial was removed',
    'memorial-restored': 'Your memorial is back',
    'draft-ending': 'Your unfinished memorial will be removed',
    'draft-removed': 'Your unfinished memorial was removed',
    'account-deleted': 'Your account was deleted',
    waiting: 'Something waits for you to look at it',
    'visitor-words': 'Your link to what you wrote',
    'contributor-code': 'Your code is 012345',
    'follow-confirm': 'Do you want emails about a memorial?',
    'follow-digest': 'New on a memorial',
    'follow-day': 'A day to remember',
    reply: 'Your reply reached the family',
    'gathering-changed': 'A gathering has changed',
  })
})

test.each(Object.entries(renderedMails))(
  'the %s mail has one column, no images and dark mode',
  (_, { html }) => {
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/u)
    expect(html).not.toMatch(/<img|<script|<table|url\(/iu)
    expect(html).toContain('<meta name="color-scheme" content="light dark">')
    expect(html).toContain('@media (prefers-color-scheme:dark)')
    expect(html).toContain('max-width:34rem')
  },
)

test('a mail has at most one button, with its plain URL, in HTML and in text', () => {
  const {
    contact: _contact,
    thanks: _thanks,
    'contributor-code': _code,
    'email-change-undone': _undone,
    ...withButton
  } = renderedMails
  for (const { html, text } of Object.values(withButton)) {
    const escaped = URL.replace('&', '&amp;')
    expect(html.match(/class="button"/gu)).toHaveLength(1)
    expect(html).toContain(`href="${escaped}"`)
    expect(html).toContain(`>${escaped}</a>`)
    expect(text).toContain(URL)
    expect(text).not.toContain('&amp;')
  }
})

test('user input is escaped in HTML and unchanged in text', () => {
  for (const { html, text } of [
    renderedMails.contact,
    renderedMails['email-change-old'],
    renderedMails['email-changed'],
    renderedMails.refund,
    renderedMails['paid-for-you'],
    renderedMails.thanks,
    renderedMails['memorial-deleted'],
    renderedMails['memorial-removed'],
    renderedMails['memorial-restored'],
    renderedMails['draft-ending'],
    renderedMails['draft-removed'],
    renderedMails.waiting,
    renderedMails.reply,
    renderedMails['gathering-changed'],
    renderedMails['follow-confirm'],
    renderedMails['follow-digest'],
    renderedMails['follow-day'],
  ]) {
    expect(html).toContain('&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;&#39;')
    expect(text).toContain(HOSTILE)
  }
  expect(renderedMails.contact.html).toContain('<br>second line')
})

test('times include their zone', () => {
  expect(renderedMails['password-changed'].text).toContain('20 November 2026, 08:05 UTC')
})

test('the sender address is parsed with and without a display name', () => {
  expect(parseMailbox('Keeping Legacies Alive <a@nhaka.test>')).toEqual({
    name: 'Keeping Legacies Alive',
    email: 'a@nhaka.test',
  })
  expect(parseMailbox('"Legacies, Alive" <a@nhaka.test>')).toEqual({
    name: 'Legacies, Alive',
    email: 'a@nhaka.test',
  })
  expect(parseMailbox(' a@nhaka.test ')).toEqual({ email: 'a@nhaka.test' })
})

test('the mail about a deleted account says what was deleted and when it is final', () => {
  const firstLines = [0, 1, 2, 7].map(
    (memorials) =>
      templates
        .accountDeletedMail({ memorials, restorableUntil: at, loginUrl: URL, supportEmail })
        .text.split('\n\n')[1],
  )
  expect(firstLines).toEqual([
    'Your account is deleted. Nobody can see any of it now.',
    'Your account and its memorial are deleted. Nobody can see any of it now.',
    'Your account and its memorials are deleted. Nobody can see any of it now.',
    'Your account and its memorials are deleted. Nobody can see any of it now.',
  ])
  expect(renderedMails['account-deleted'].text).toContain('sign in before 20 November 2026, 08:05 UTC')
})

const linesOf = ({ text }: { text: string }) => text.split('\n\n').slice(1, -3)

test('the mail about a changed gathering says what it was and what it is now', () => {
  const about = { name: 'Tendai Moyo', title: 'Burial', before: FACTS, url: URL }
  const facts = { ...FACTS, dateTime: '2026-06-06T09:00:00.000Z', endDateTime: '2026-06-06T11:30:00.000Z' }
  expect(linesOf(gatheringChangedMail({ ...about, facts }))).toEqual([
    'You replied to a gathering in memory of Tendai Moyo. Its time or place has changed.',
    'It was:\nBurial\nSaturday 6 June 2026, 10:00, Harare time\nYeovil Cemetery, Mutare',
    'It is now:\nBurial\nSaturday 6 June 2026, 11:00, Harare time\nuntil 13:30\nYeovil Cemetery, Mutare',
    'The attached file moves it in your calendar.',
    `Change or take back my reply:\n${URL}`,
  ])
  const nights = { ...FACTS, endDateTime: '2026-06-07T04:00:00.000Z' }
  expect(gatheringChangedMail({ ...about, facts: nights }).text).toContain('until Sunday 7 June, 06:00')
  const cancelled = gatheringChangedMail({ ...about, facts: { ...FACTS, isCancelled: true } })
  expect([cancelled.subject, ...linesOf(cancelled)]).toEqual([
    'A gathering is cancelled',
    'You replied to a gathering in memory of Tendai Moyo. It is cancelled.',
    'Burial\nSaturday 6 June 2026, 10:00, Harare time\nYeovil Cemetery, Mutare',
    'The attached file takes it out of your calendar.',
    `Change or take back my reply:\n${URL}`,
  ])
  const back = gatheringChangedMail({ ...about, before: { ...FACTS, isCancelled: true }, facts, url: null })
  expect(linesOf(back).slice(0, 2)).toEqual([
    'You replied to a gathering in memory of Tendai Moyo. It was cancelled, and takes place after all.',
    'It is now:\nBurial\nSaturday 6 June 2026, 11:00, Harare time\nuntil 13:30\nYeovil Cemetery, Mutare',
  ])
  expect(back.text).not.toContain(URL)
})
