import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { HOUR_MS, MINUTE_MS, RATE_LIMITS } from '#shared/limits.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { funeralEvents, replies as replyTable } from '#worker/schema/funeral.table.ts'
import { sendMail } from '#worker/features/mail/mail.jobs.ts'
import { mailRow } from '#worker/platform/providers/mail.ts'
import { newEmail } from '../../../../test/worker/accounts.ts'
import { Client, dropQueueMessages, ORIGIN, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf, receivedBy } from '../../../../test/worker/mailbox.ts'
import { barrierDb } from '../../../../test/worker/runtime/intercepted-db.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { coming, gatheringOf, linkIn, replied, repliedByMail } from '../../../../test/worker/replies.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const PLACE = { venueName: 'Yeovil Cemetery', city: 'Mutare' }

const calendarIn = (mail: { attachments?: { content: string }[] } | undefined) =>
  Buffer.from(mail?.attachments?.[0]?.content ?? '', 'base64').toString('utf8')

test('a confirmation to an address has a calendar file, and no words of a stranger', async () => {
  const { event, memorial, replies } = await gatheringOf({ ...PLACE, title: 'The burial' })
  const { mail, reply, link } = await repliedByMail(replies, { name: 'Evil Name', words: 'Evil words' })
  expect(mail).toMatchObject({ subject: 'Your reply reached the family' })
  expect(mail?.text).toContain('The burial\nFriday 6 June 2031, 10:00, Harare time\nYeovil Cemetery, Mutare')
  expect(mail?.text).toContain(`${ORIGIN}/reply/${link.replace('/api/replies/', '')}`)
  expect(link).toMatch(new RegExp(`^/api/replies/${reply.id}\\.[\\w-]{43}$`, 'u'))
  expect(`${mail?.text}${mail?.html}${mail?.subject}`).not.toContain('Evil')
  expect(mail?.subject).not.toContain(memorial.honoureeFullName)
  expect(mail?.attachments).toEqual([
    { filename: 'gathering.ics', type: 'text/calendar', content: expect.any(String) },
  ])
  expect(calendarIn(mail)).toContain(`UID:${event.id}@localhost`)
  expect(calendarIn(mail)).toContain('DTSTART:20310606T080000Z')
})

test('whoever can’t come gets a confirmation without a calendar file', async () => {
  const { replies } = await gatheringOf()
  const { mail } = await repliedByMail(replies, { answer: 'SORRY' })
  expect(mail?.subject).toBe('Your reply reached the family')
  expect(mail?.text).not.toContain('calendar')
  expect(mail).not.toHaveProperty('attachments')
})

test('whoever comes hears of a change once, old and new, however often it is pressed', async () => {
  const { event, eventPath, replies, owner, change, counts } = await gatheringOf(PLACE)
  const told = await repliedByMail(replies)
  const afar = await repliedByMail(replies, { answer: 'AFAR' })
  const sorry = await repliedByMail(replies, { answer: 'SORRY' })
  await replied(replies)
  expect((await counts()).toTell).toBe(0)
  await change({ dateTime: '2031-06-06T11:00', notes: 'Bring a chair' })
  expect((await counts()).toTell).toBe(2)
  const late = await repliedByMail(replies)
  expect((await counts()).toTell).toBe(2)
  const presses = await atOnce(8, () => owner.post(`${eventPath}/tell`))
  const numbers = presses.map(({ body }) => body.told).toSorted((a, b) => b - a)
  expect(numbers).toEqual([2, 0, 0, 0, 0, 0, 0, 0])
  expect((await counts()).toTell).toBe(0)
  for (const { email } of [told, afar]) {
    const [mail, ...others] = await mailboxOf(email, 2)
    expect([mail?.subject, others.length]).toEqual(['A gathering has changed', 1])
    expect(mail?.text).toContain(
      'It was:\nBurial\nFriday 6 June 2031, 10:00, Harare time\nYeovil Cemetery, Mutare\n\nIt is now:\nBurial\nFriday 6 June 2031, 11:00, Harare time\nYeovil Cemetery, Mutare',
    )
    expect(calendarIn(mail)).toContain(`UID:${event.id}@localhost`)
    expect(calendarIn(mail)).toContain('DTSTART:20310606T090000Z')
    expect((await new Client().get(linkIn(mail?.text))).status).toBe(200)
  }
  for (const { email } of [sorry, late]) expect(await mailboxOf(email)).toHaveLength(1)
})

test('the question counts people, mails, and people without an address', async () => {
  const { eventPath, replies, owner, change, counts } = await gatheringOf(PLACE)
  const { email } = await repliedByMail(replies, { people: 20 })
  await repliedByMail(replies, { answer: 'AFAR' })
  await replied(replies, { people: 3 })
  await replied(replies, { answer: 'AFAR' })
  await replied(replies, { answer: 'SORRY', people: 7 })
  const asked = async () => {
    const { people, toTell, peopleToTell, withoutAddress } = await counts()
    return [people, toTell, peopleToTell, withoutAddress]
  }
  const tell = async () => (await owner.post(`${eventPath}/tell`)).body.told
  expect(await asked()).toEqual([23, 0, 0, 0])
  await change({ dateTime: '2031-06-06T11:00' })
  expect(await asked()).toEqual([23, 2, 20, 4])
  expect([await tell(), await asked()]).toEqual([2, [23, 0, 0, 0]])
  await change({ dateTime: '2031-06-06T12:00' })
  await changeRows(replyTable, { email }, { email: null })
  expect(await asked()).toEqual([23, 1, 0, 24])
})

test(
  'a press that read the list before another one had told them mails nobody twice',
  { tags: ['change-told-once'] },
  async () => {
    const { eventPath, replies, owner, change } = await gatheringOf()
    const { email } = await repliedByMail(replies)
    await change({ dateTime: '2031-06-06T11:00' })
    // All presses read the list before the first one tells them.
    owner.bindings = { ...env, DB: barrierDb(6, /^insert into "mails"/u) }
    const presses = await atOnce(6, () => owner.post(`${eventPath}/tell`))
    expect(presses.map(({ body }) => body.told).filter((count) => count > 0)).toEqual([1])
    expect(await rowsOf(mails, { recipient: email, kind: 'gathering-changed' })).toHaveLength(1)
  },
)

test('a second change is told against the last mail; one taken back needs no mail', async () => {
  const { eventPath, replies, owner, change, counts } = await gatheringOf(PLACE)
  const { email } = await repliedByMail(replies)
  const tell = async () => (await owner.post(`${eventPath}/tell`)).body.told
  await change({ dateTime: '2031-06-06T11:00' })
  expect(await tell()).toBe(1)
  await mailboxOf(email, 2)
  await change({ venueName: 'Warren Hills' })
  await change({ venueName: 'Yeovil Cemetery' })
  expect([(await counts()).toTell, await tell()]).toEqual([0, 0])
  await change({ isCancelled: true })
  expect(await tell()).toBe(1)
  const [cancelled] = await mailboxOf(email, 3)
  expect(cancelled?.subject).toBe('A gathering is cancelled')
  expect(cancelled?.text).toContain('It is cancelled.\n\nBurial\nFriday 6 June 2031, 11:00, Harare time')
})

test('nobody is told of an address that only completes the place that they know', async () => {
  const { event, eventPath, replies, owner, change, counts } = await gatheringOf(PLACE)
  const { email } = await repliedByMail(replies)
  const other = await gatheringOf(PLACE)
  await repliedByMail(other.replies)
  await change({ addressLine: 'Chimanimani Road' })
  expect((await counts()).toTell).toBe(0)
  await changeRows(funeralEvents, { id: event.id }, { createdAt: Date.now() - 5 * HOUR_MS })
  await change({ venueName: 'Warren Hills' })
  expect((await counts()).toTell).toBe(1)
  await change({ venueName: 'Yeovil Cemetery', country: 'Zimbabwe' })
  expect((await counts()).toTell).toBe(0)
  await change({ dateTime: '2031-06-06T11:00' })
  await owner.post(`${eventPath}/tell`)
  const [mail] = await mailboxOf(email, 2)
  expect(mail?.text.match(/Yeovil Cemetery.*/gu)).toEqual([
    'Yeovil Cemetery, Chimanimani Road, Mutare, Zimbabwe',
    'Yeovil Cemetery, Chimanimani Road, Mutare, Zimbabwe',
  ])
  expect((await other.counts()).toTell).toBe(0)
})

test('two changes before a mail is sent make one mail, which says what its reader knew', async () => {
  const { eventPath, replies, owner, change } = await gatheringOf(PLACE)
  const { email } = await repliedByMail(replies)
  const tell = async () => (await owner.post(`${eventPath}/tell`)).body.told
  dropQueueMessages()
  await change({ dateTime: '2031-06-06T11:00' })
  expect(await tell()).toBe(1)
  await change({ dateTime: '2031-06-06T12:00' })
  expect(await tell()).toBe(1)
  const [mail, ...others] = await mailboxOf(email, 3)
  expect(others.map(({ subject }) => subject)).toEqual(['Your reply reached the family'])
  expect(mail?.text).toMatch(/It was:\nBurial\n.*10:00, [^]*It is now:\nBurial\n.*12:00, /u)
})

test('a change that was taken back before its mail was sent mails nobody', async () => {
  const { eventPath, replies, owner, change } = await gatheringOf(PLACE)
  const { email } = await repliedByMail(replies)
  dropQueueMessages()
  await change({ dateTime: '2031-06-06T11:00' })
  expect((await owner.post(`${eventPath}/tell`)).body).toEqual({ told: 1 })
  await change({ dateTime: '2031-06-06T10:00' })
  const [mail] = await rowsOf(mails, { recipient: email, kind: 'gathering-changed' })
  await sendMail(testCtx(), mail!.id)
  expect(await rowsOf(mails, { id: mail!.id })).toMatchObject([{ status: 'CANCELLED' }])
  expect(await receivedBy(email)).toHaveLength(1)
})

test('a change waits for room in a full mailbox, and isn’t lost', async () => {
  const { eventPath, replies, owner, change } = await gatheringOf()
  const email = newEmail()
  const { limit, windowMs } = RATE_LIMITS.gatheringMails
  for (let n = 0; n < 2; n++) await replied(replies, { email })
  await mailboxOf(email, 2)
  await change({ dateTime: '2031-06-06T11:00' })
  Object.assign(RATE_LIMITS.gatheringMails, { limit: 1 })
  try {
    dropQueueMessages()
    expect((await owner.post(`${eventPath}/tell`)).body).toEqual({ told: 2 })
    const told = await rowsOf(mails, { recipient: email, kind: 'gathering-changed' })
    for (const { id } of told) await sendMail(testCtx(), id)
    const states = async () =>
      (await rowsOf(mails, { recipient: email, kind: 'gathering-changed' })).map(({ status }) => status)
    expect((await states()).toSorted()).toEqual(['QUEUED', 'SENT'])
    const later = Date.now() + windowMs + MINUTE_MS
    for (const { id } of told)
      await sendMail(
        testCtx(() => later),
        id,
      )
    expect(await states()).toEqual(['SENT', 'SENT'])
    expect(await receivedBy(email)).toHaveLength(4)
  } finally {
    Object.assign(RATE_LIMITS.gatheringMails, { limit })
  }
})

test('an owner tells people so many times a day', async () => {
  const { eventPath, owner } = await gatheringOf()
  const { limit } = RATE_LIMITS.tells
  Object.assign(RATE_LIMITS.tells, { limit: 2 })
  try {
    const statuses = []
    for (let n = 0; n < 3; n++) statuses.push((await owner.post(`${eventPath}/tell`)).status)
    expect(statuses).toEqual([200, 200, 429])
  } finally {
    Object.assign(RATE_LIMITS.tells, { limit })
  }
})

test('people hear of a pin that was moved, with the way to the new place', async () => {
  const pin = { latitude: -18.97, longitude: 32.67 }
  const { eventPath, replies, owner, change, counts } = await gatheringOf({ pin })
  const { email } = await repliedByMail(replies)
  await change({ pin: { ...pin, longitude: 32.671 } })
  expect(await counts()).toMatchObject({ toTell: 0 })
  await change({ pin: { ...pin, longitude: 32.7 } })
  expect((await owner.post(`${eventPath}/tell`)).body).toEqual({ told: 1 })
  const [mail] = await mailboxOf(email, 2)
  const way = 'https://www.google.com/maps/dir/?api=1&destination=-18.97%2C32.7'
  expect(mail?.text).toContain(`The place on the map has changed, too:\n${way}`)
})

test('nobody is told of a gathering that is over', async () => {
  const { event, eventPath, replies, owner, counts } = await gatheringOf()
  const { email } = await repliedByMail(replies)
  const begunHoursAgo = (hours: number) =>
    changeRows(funeralEvents, { id: event.id }, { dateTime: Date.now() - hours * HOUR_MS })
  const tell = async () => (await owner.post(`${eventPath}/tell`)).body.told
  await begunHoursAgo(3)
  expect([(await counts()).toTell, await tell()]).toEqual([0, 0])
  await begunHoursAgo(1)
  expect([(await counts()).toTell, await tell()]).toEqual([1, 1])
  expect(await mailboxOf(email, 2)).toHaveLength(2)
})

test('people hear of a change also while the memorial is private, then without a link', async () => {
  const { path, eventPath, replies, owner, change } = await gatheringOf()
  const { email } = await repliedByMail(replies)
  await owner.patch(`${path}/privacy`, { privacy: 'PRIVATE' })
  await change({ isCancelled: true })
  await owner.post(`${eventPath}/tell`)
  const [mail] = await mailboxOf(email, 2)
  expect(mail?.subject).toBe('A gathering is cancelled')
  expect(mail?.text).not.toContain('/reply/')
})

test(
  'a mail about a reply goes only to the address that the reply has now',
  { tags: ['reply-mail-to-its-address'] },
  async () => {
    const { replies } = await gatheringOf()
    const { reply, email } = await repliedByMail(replies)
    const ctx = testCtx()
    for (const kind of ['reply', 'gathering-changed'] as const) {
      const mail = mailRow(ctx, { kind, recipient: newEmail(), subjectId: reply.id })
      await changeRows(
        replyTable,
        { id: reply.id },
        { knewBefore: (await rowsOf(replyTable, { id: reply.id }))[0]!.knows },
      )
      await ctx.db.insert(mails).values(mail)
      await sendMail(ctx, mail.id)
      expect((await rowsOf(mails, { id: mail.id })).map(({ status }) => status)).toEqual(['CANCELLED'])
      expect(await receivedBy(mail.recipient)).toEqual([])
    }
    expect(await receivedBy(email)).toHaveLength(1)
  },
)

test('a mailbox gets so many confirmations an hour, however many replies name it', async () => {
  const { replies } = await gatheringOf()
  const email = newEmail()
  const { limit } = RATE_LIMITS.replyMails
  expect(limit).toBe(12)
  Object.assign(RATE_LIMITS.replyMails, { limit: 2 })
  try {
    for (let n = 0; n < 3; n++) {
      await new Client().post(replies, coming({ email: email.replace('@', `+${n}@`) }))
      await mailboxOf(email.replace('@', `+${n}@`), 1)
    }
    const all = await Promise.all([0, 1, 2].map((n) => receivedBy(email.replace('@', `+${n}@`))))
    expect(all.map((mail) => mail.length)).toEqual([1, 1, 0])
  } finally {
    Object.assign(RATE_LIMITS.replyMails, { limit })
  }
})
