import { createExecutionContext, createMessageBatch, env, getQueueResult } from 'cloudflare:test'
import { expect, test, vi } from 'vitest'
import type { AdminMailPage } from '#shared/admin/admin.ts'
import { DAY_MS, HOUR_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { linkToken } from '#worker/access/pepper.ts'
import { visitorsLink } from '#worker/access/memorial-access.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { followers } from '#worker/schema/followers.table.ts'
import { contributorCodes, contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { contactMessages, MAIL_KINDS, mails } from '#worker/schema/mail.table.ts'
import { dayIn } from '#worker/features/followers/mornings.ts'
import { drainMailOutbox, sendMail } from '#worker/features/mail/mail.jobs.ts'
import { mailRow, type MailKind } from '#worker/platform/providers/mail.ts'
import { funeralEvents, replies } from '#worker/schema/funeral.table.ts'
import { handovers, keeperInvites } from '#worker/schema/keepers.table.ts'
import { letInRequests } from '#worker/schema/let-in.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { successions, successors } from '#worker/schema/successors.table.ts'
import { emailChanges, registrations, users } from '#worker/schema/accounts.table.ts'
import { handleQueue, retryDelaySec } from '#worker/jobs.ts'
import type { Job } from '#worker/schema/jobs.table.ts'
import { hashToken, newId, randomBase32 } from '#worker/platform/random.ts'
import { takeErrorLines } from '../runtime/error-lines.ts'
import { failingEnv } from './faults.ts'
import { Client, invited, paidCredit, signedIn, testCtx } from '../harness.ts'
import { injectMailFault, receivedBy } from '../mailbox.ts'
import { changeRows, rowsOf } from '../rows.ts'
import { draftOf } from '../stripe.ts'

async function queueMail(kind: MailKind = 'already-registered', subjectId = 'usr_nobody') {
  const ctx = testCtx()
  const recipient = `${randomBase32(12)}@family.test`
  const row = mailRow(ctx, { kind, recipient, subjectId })
  await ctx.db.insert(mails).values(row)
  return { id: row.id, recipient }
}

/** Passes these messages to the consumer in one batch. */
async function consume(bodies: unknown[], bindings: Env = env, queue = 'nhaka-jobs') {
  const batch = createMessageBatch<Job>(
    queue,
    bodies.map((body, at) => ({
      id: `message${at}`,
      timestamp: new Date(),
      attempts: 1,
      body: body as Job,
    })),
  )
  const execution = createExecutionContext()
  await handleQueue(batch, bindings, execution)
  const { explicitAcks, retryMessages } = await getQueueResult(batch, execution)
  return { done: explicitAcks, again: retryMessages.map((message: { msgId: string }) => message.msgId) }
}
const job = (mailId: string): Job => ({ type: 'send-mail', mailId })

/** What cron sends to the queue some time later, with a queue that only collects messages. */
async function jobsFromCron(afterMs: number): Promise<Job[]> {
  const jobs: Job[] = []
  const ctx: Ctx = {
    ...testCtx(() => Date.now() + afterMs),
    enqueue: async (...more) => void jobs.push(...more),
  }
  await drainMailOutbox(ctx)
  return jobs
}
/** Cron finds the mail an hour later and sends it. */
async function runCronAnHourLater(id: string) {
  const jobs = await jobsFromCron(3_600_000)
  const mine = jobs.filter((one) => one.type === 'send-mail' && one.mailId === id)
  for (const _ of mine) {
    await sendMail(
      testCtx(() => Date.now() + 3_600_000),
      id,
    )
  }
}
async function outcomeOf({ id, recipient }: { id: string; recipient: string }) {
  const [row] = await rowsOf(mails, { id })
  const copies = await receivedBy(recipient)
  return { status: row?.status, copies: copies.map(({ headers }) => headers['X-Nhaka-Mail-Id']) }
}

test('malformed messages do not delay others in their batch', async () => {
  const [first, last] = [await queueMail(), await queueMail()]
  const poison = [
    null,
    'text',
    7,
    {},
    { type: 'unknown' },
    { type: 'send-mail' },
    { type: 'send-mail', mailId: {} },
  ]
  const { done } = await consume([job(first.id), ...poison, job(last.id)])
  expect(done).toEqual(expect.arrayContaining(['message0', `message${poison.length + 1}`]))
  expect(await outcomeOf(first)).toEqual({ status: 'SENT', copies: [first.id] })
  expect(await outcomeOf(last)).toEqual({ status: 'SENT', copies: [last.id] })
  await consume(poison, env, 'nhaka-jobs-dead')
  takeErrorLines()
})

test.each(['before', 'after'] as const)(
  'cron finishes the mail of a consumer killed %s any call, in at most 2 copies',
  async (mode) => {
    const brokenAt = async (failAt: number) => {
      const { user } = await signedIn()
      const mail = await queueMail('reset', user.id)
      const failing = failingEnv(failAt, mode)
      await consume([job(mail.id)], failing.env)
      await runCronAnHourLater(mail.id)
      const { status, copies } = await outcomeOf(mail)
      expect([failAt, status]).toEqual([failAt, 'SENT'])
      expect([1, 2]).toContain(copies.length)
      expect(new Set(copies)).toEqual(new Set([mail.id]))
      takeErrorLines()
      return failing.calls()
    }
    const calls = await brokenAt(Infinity)
    for (let failAt = 1; failAt <= calls; failAt++) await brokenAt(failAt)
    expect(calls).toBeGreaterThanOrEqual(4)
  },
  60_000,
)

const respondWith =
  (status: number, body = '{"errors":["no"]}') =>
  () =>
    Promise.resolve(
      new Response(body, {
        status,
        headers: { 'Content-Type': body.startsWith('<') ? 'text/html' : 'application/json' },
      }),
    )
const PROVIDER_FAULTS: Record<string, (ask: () => Promise<Response>) => Promise<Response>> = {
  '400': respondWith(400),
  '401': respondWith(401),
  '403': respondWith(403),
  '413': respondWith(413),
  '429': respondWith(429),
  '500': respondWith(500),
  '502 in HTML': respondWith(502, '<html>'),
  'a refusal with status 202': respondWith(
    202,
    '{"results":[{"status":"failed","reason":"no such mailbox"}]}',
  ),
  'an HTML page with status 200': respondWith(200, '<html>'),
  'an empty answer': respondWith(202, '{}'),
  'no connection': () => Promise.reject(new TypeError('Network connection lost.')),
  'no answer': () => new Promise(() => {}),
  'a lost acceptance': async (ask) => {
    await ask()
    throw new TypeError('Network connection lost.')
  },
}
function breakProvider(fault: string): () => void {
  const [ask, wait] = [globalThis.fetch, globalThis.setTimeout]
  let isOn = true
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    return isOn && url.includes('/tx/v1/')
      ? PROVIDER_FAULTS[fault]!(() => ask(input, init))
      : ask(input, init)
  })
  // The deadline of a delivery passes at once.
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((run: () => void, ms?: number) =>
    wait(run, isOn && ms === 10_000 ? 20 : ms),
  )
  return () => void (isOn = false)
}

test.each(Object.keys(PROVIDER_FAULTS))(
  'after %s, a mail is retried and arrives at most twice',
  async (fault) => {
    const mail = await queueMail()
    const mend = breakProvider(fault)
    expect(await consume([job(mail.id)])).toEqual({ done: [], again: ['message0'] })
    mend()
    expect(takeErrorLines().join()).toContain('job_failed')
    expect(await consume([job(mail.id)])).toEqual({ done: ['message0'], again: [] })
    const { status, copies } = await outcomeOf(mail)
    expect(status).toBe('SENT')
    expect(copies.length).toBe(fault === 'a lost acceptance' ? 2 : 1)
    expect(new Set(copies)).toEqual(new Set([mail.id]))
  },
)

test('five concurrent crons send a mail whose message was lost exactly once', async () => {
  const mail = await queueMail()
  const jobs = (await Promise.all(Array.from({ length: 5 }, () => jobsFromCron(3_600_000)))).flat()
  const mine = jobs.filter((one) => one.type === 'send-mail' && one.mailId === mail.id)
  expect(mine).toHaveLength(5)
  await Promise.all(mine.map(async (one) => consume([one])))
  expect(await outcomeOf(mail)).toEqual({ status: 'SENT', copies: [mail.id] })
})

test('an undeliverable mail is marked dead, and an admin sees it and resends it once', async () => {
  const admin = await signedIn({ admin: true })
  const mail = await queueMail()
  const mend = breakProvider('400')
  for (let attempt = 0; attempt < 6; attempt++) await consume([job(mail.id)])
  await consume([job(mail.id)], env, 'nhaka-jobs-dead')
  mend()
  expect(takeErrorLines().join()).toContain('mail_dead')
  const { body } = await admin.get<AdminMailPage>('/api/admin/mails')
  expect(body.mails.find(({ id }) => id === mail.id)).toMatchObject({ status: 'DEAD', attempts: 6 })
  await Promise.all(Array.from({ length: 5 }, () => admin.post(`/api/admin/mails/${mail.id}/resend`)))
  await consume([job(mail.id)])
  await runCronAnHourLater(mail.id)
  expect(await outcomeOf(mail)).toEqual({ status: 'SENT', copies: [mail.id] })
})

test('no mail is lost when the queue is down as its row is written', async () => {
  const { user } = await signedIn()
  const client = new Client()
  const JOBS = Object.assign(Object.create(env.JOBS) as Env['JOBS'], {
    sendBatch: () => Promise.reject(new Error('queue down')),
  })
  client.bindings = { ...env, JOBS }
  expect((await client.post('/api/auth/forgot-password', { email: user.email })).status).toBe(200)
  const [row] = await rowsOf(mails, { recipient: user.email })
  await runCronAnHourLater(row!.id)
  expect(await outcomeOf({ id: row!.id, recipient: user.email })).toEqual({
    status: 'SENT',
    copies: [row!.id],
  })
})

test('the log omits what a provider says about an address', async () => {
  const mail = await queueMail()
  const text = `550 no mailbox <${mail.recipient}> here, ${mail.recipient} is unknown`
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () =>
    Response.json(
      { results: [{ index: 0, message_id: 'm', status: 'failed', reason: text }] },
      { status: 202 },
    ),
  )
  await consume([job(mail.id)])
  await consume([job(mail.id)], env, 'nhaka-jobs-dead')
  const lines = takeErrorLines().join()
  expect(lines).toContain('550 no mailbox')
  expect(lines).not.toContain(mail.recipient)
})

/** A visitor whose words wait at this memorial, or the memorial. */
async function waitingFor(kind: MailKind, memorialId: string, typed: string): Promise<string> {
  const at = Date.now()
  const id = newId('contributor')
  const token = visitorsLink(memorialId)
  await testCtx().db.batch([
    testCtx().db.insert(inviteTokens).values({ token, status: 'VISITORS', memorialId, createdAt: at }),
    testCtx().db.insert(contributors).values({
      id,
      memorialId,
      inviteToken: token,
      displayName: typed,
      isGuest: false,
      email: 'x@evil.test',
      expiresAt: at,
      createdAt: at,
    }),
    testCtx()
      .db.insert(comments)
      .values({
        id: newId('comment'),
        memorialId,
        authorContributorId: id,
        body: typed,
        visitorName: typed,
        isHeld: true,
        createdAt: at,
      }),
  ])
  return kind === 'waiting' ? memorialId : id
}

/** A reply to a gathering of this memorial. */
async function replyTo(memorialId: string, typed: string): Promise<string> {
  const at = Date.now()
  const id = newId('reply')
  const eventId = newId('funeralEvent')
  const timeZone = 'Africa/Harare'
  const knows = {
    dateTime: new Date(at).toISOString(),
    endDateTime: null,
    timeZone,
    place: typed,
    isCancelled: false,
  }
  const { db } = testCtx()
  await changeRows(memorials, { id: memorialId }, { status: 'ACTIVE', privacy: 'INVITE' })
  await db.batch([
    db.insert(funeralEvents).values({
      id: eventId,
      memorialId,
      position: 1,
      title: typed,
      venueName: typed,
      contact: typed,
      dateTime: at,
      timeZone,
      createdAt: at,
      updatedAt: at,
    }),
    db.insert(replies).values({
      id,
      eventId,
      answer: 'COMING',
      people: 1,
      name: typed,
      words: typed,
      deviceHash: '',
      knows,
      knewBefore: { ...knows, place: 'elsewhere' },
      createdAt: at,
      updatedAt: at,
    }),
  ])
  return id
}

/** An invitation to look after this memorial. */
/** Somebody who asked, gave this as their name, and was let in. */
async function letInBy(memorialId: string, name: string): Promise<string> {
  const { db } = testCtx()
  await changeRows(memorials, { id: memorialId }, { privacy: 'INVITE' })
  const [link, contributorId, id] = [crypto.randomUUID(), newId('contributor'), newId('letInRequest')]
  const at = Date.now()
  await db
    .insert(inviteTokens)
    .values({ token: link, status: 'ASSIGNED', memorialId, name, assignedAt: at, createdAt: at })
  const person = { id: contributorId, memorialId, inviteToken: link, displayName: name, isGuest: false }
  await db.insert(contributors).values({ ...person, expiresAt: at, createdAt: at })
  const asked = {
    id,
    memorialId,
    name,
    relation: name,
    email: 'rudo@family.test',
    decision: 'LET_IN',
    contributorId,
  } as const
  await db.insert(letInRequests).values({ ...asked, tokenHash: crypto.randomUUID(), createdAt: at })
  return id
}

async function invitationTo(memorialId: string): Promise<string> {
  const row = {
    id: newId('keeperInvite'),
    memorialId,
    role: 'KEEPER',
    mayExport: false,
    email: 'x@evil.test',
    tokenHash: newId('keeperInvite'),
    expiresAt: Date.now() + DAY_MS,
    createdAt: Date.now(),
  } as const
  await testCtx().db.insert(keeperInvites).values(row)
  return row.id
}

/** An offer to hand this memorial over, or what became of it. */
async function handoverOf(memorialId: string, fromUserId: string, kind: MailKind): Promise<string> {
  const isOffer = kind === 'handover-offer'
  const isTakenBack = kind === 'handover-taken-back'
  const row = {
    id: newId('handover'),
    memorialId,
    fromUserId,
    toUserId: (await signedIn()).user.id,
    mayExport: false,
    expiresAt: Date.now() + DAY_MS,
    acceptedAt: isOffer ? null : Date.now(),
    takeBackUntil: isOffer || isTakenBack ? null : Date.now() + DAY_MS,
    takenBackAt: isTakenBack ? Date.now() : null,
    createdAt: Date.now(),
  }
  await testCtx().db.insert(handovers).values(row)
  return row.id
}

/** Somebody who follows a public memorial of this name, to which something was added on its day. */
async function followerOf(kind: MailKind, name: string): Promise<string> {
  const { memorial, relative } = await invited()
  await relative.post(`/api/memorials/${memorial.id}/comments`, { body: name })
  const dateOfBirth = `1950${dayIn('Africa/Harare', Date.now()).slice(4)}`
  await changeRows(
    memorials,
    { id: memorial.id },
    { honoureeFullName: name, privacy: 'LOCKED', dateOfBirth, dateOfBirthPrecision: 'DAY' },
  )
  const row = {
    id: newId('follower'),
    memorialId: memorial.id,
    email: 'x@evil.test',
    wantsNews: true,
    wantsBirthday: true,
    wantsPassing: true,
    confirmedAt: kind === 'follow-confirm' ? null : Date.now(),
    newsSince: Date.now() + HOUR_MS,
    toldSince: 0,
    createdAt: Date.now(),
  }
  await testCtx().db.insert(followers).values(row)
  return row.id
}

const SUCCESSOR_MAILS: ReadonlySet<MailKind> = new Set([
  'successor-named',
  'still-there',
  'successor-asked',
  'memorial-open',
  'memorial-claimed',
  'memorial-taken-over',
])

/** A memorial whose successor asked for it, may claim it, or has done so. */
async function successionOf(memorialId: string, kind: MailKind): Promise<string> {
  const { db } = testCtx()
  const at = Date.now()
  const id = newId('successor')
  const isOpen = kind === 'memorial-open'
  const [memorial] = await rowsOf(memorials, { id: memorialId })
  const ownerId = memorial?.ownerId ?? ''
  await db.batch([
    db.insert(successors).values({
      id,
      memorialId,
      name: 'x@evil.test\r\nBcc: y@evil.test',
      email: 'x@evil.test',
      createdAt: at,
    }),
    db.insert(successions).values({
      memorialId,
      afterMonths: 12,
      saidAt: at,
      askingSince: at,
      askedBy: id,
      mailsSent: 3,
      nextAt: isOpen ? null : at,
      openSince: isOpen ? at : null,
      createdAt: at,
    }),
    db.insert(handovers).values({
      id: newId('handover'),
      memorialId,
      fromUserId: ownerId,
      toUserId: ownerId,
      mayExport: false,
      isClaim: true,
      expiresAt: at,
      acceptedAt: at,
      takeBackUntil: at,
      createdAt: at,
    }),
  ])
  return memorialId
}

/** A change of this user's address that waits for both mailboxes, or has been made. */
async function addressChangeOf(userId: string, kind: MailKind): Promise<string> {
  const id = newId('emailChange')
  const tokenHash = (which: 'email-old' | 'email-new' | 'email-undo') =>
    hashToken(linkToken(testCtx(), which, id))
  await testCtx()
    .db.insert(emailChanges)
    .values({
      id,
      userId,
      oldEmail: 'x@evil.test',
      newEmail: 'x@evil.test\r\nBcc: y@evil.test',
      oldTokenHash: tokenHash('email-old'),
      newTokenHash: tokenHash('email-new'),
      undoTokenHash: tokenHash('email-undo'),
      changedAt: kind === 'email-changed' ? Date.now() : null,
      expiresAt: Date.now() + HOUR_MS,
      createdAt: Date.now(),
    })
  return id
}

/** A row for a mail of each kind to refer to, full of other people's addresses. */
async function subjectOf(kind: MailKind): Promise<string> {
  const evil = 'x@evil.test\r\nBcc: y@evil.test'
  const { user } = await signedIn({ firstName: evil })
  if (kind === 'contact') {
    const id = newId('contactMessage')
    await testCtx()
      .db.insert(contactMessages)
      .values({ id, email: 'x@evil.test', subject: evil, message: evil, createdAt: Date.now() })
    return id
  }
  if (kind.startsWith('email-change')) return addressChangeOf(user.id, kind)
  if (kind === 'account-deleted') await changeRows(users, { id: user.id }, { deletedAt: Date.now() })
  const owner = Object.assign(await signedIn(), { user })
  const memorialId = await draftOf(owner, evil)
  if (kind === 'waiting' || kind === 'visitor-words') return waitingFor(kind, memorialId, evil)
  if (kind === 'reply' || kind === 'gathering-changed') return replyTo(memorialId, evil)
  if (kind === 'keeper-invite') return invitationTo(memorialId)
  if (kind.startsWith('follow-')) return followerOf(kind, evil)
  if (SUCCESSOR_MAILS.has(kind)) return successionOf(memorialId, kind)
  if (kind === 'let-in') return letInBy(memorialId, evil)
  if (kind.startsWith('hand')) return handoverOf(memorialId, user.id, kind)
  if (kind === 'memorial-removed') await changeRows(memorials, { id: memorialId }, { status: 'REMOVED' })
  if (kind.startsWith('memorial-') || kind.startsWith('draft-')) return memorialId
  const isOfPayment = ['receipt', 'refund', 'paid-for-you', 'thanks'].includes(kind)
  if (!isOfPayment) return user.id
  const id = await paidCredit(user.id)
  const others = { payerName: 'x@evil.test', payerEmail: evil, thanks: evil }
  await changeRows(
    payments,
    { id },
    {
      memorialId,
      ...(kind === 'refund' && { status: 'REFUNDED' }),
      ...((kind === 'paid-for-you' || kind === 'thanks') && others),
    },
  )
  return id
}

/** An attempt to register, whose link the mail with this id holds. */
async function registrationOf(mailId: string): Promise<void> {
  const { user } = await signedIn()
  await changeRows(users, { id: user.id }, { emailVerifiedAt: null })
  const typed = { firstName: 'x@evil.test', lastName: 'x', tokenHash: mailId, mailId }
  await testCtx()
    .db.insert(registrations)
    .values({ id: newId('registration'), userId: user.id, ...typed, expiresAt: 0, createdAt: 0 })
}

/** A relative of a memorial, who left this address and asked for a code. */
async function relativeAt(recipient: string, mailId: string): Promise<void> {
  const { memorial, relative } = await invited()
  await changeRows(contributors, { id: relative.session.contributorId }, { email: recipient })
  const row = { requestHash: mailId, memorialId: memorial.id, email: recipient, mailId }
  await testCtx()
    .db.insert(contributorCodes)
    .values({ ...row, expiresAt: Date.now() + HOUR_MS, createdAt: Date.now() })
}

test.each(MAIL_KINDS)('a mail of the kind %s goes only to its recipient', async (kind) => {
  const subjectId = await subjectOf(kind)
  const mail = await queueMail(kind, subjectId)
  await registrationOf(mail.id)
  await relativeAt(mail.recipient, mail.id)
  await changeRows(replies, { id: subjectId }, { email: mail.recipient })
  await changeRows(successors, { memorialId: subjectId }, { email: mail.recipient })
  await changeRows(followers, { id: subjectId }, { email: mail.recipient })
  const ask = globalThis.fetch
  const sent: Record<string, unknown>[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    if (request.url.includes('/tx/v1/')) sent.push(await request.clone().json())
    return ask(request)
  })
  await sendMail(testCtx(), mail.id)
  expect(sent.map(({ personalizations }) => personalizations)).toEqual([
    [expect.objectContaining({ to: [{ email: mail.recipient }] })],
  ])
  expect(JSON.stringify(sent)).not.toMatch(/"(?:cc|bcc)":\[\{/u)
  expect(await receivedBy('y@evil.test')).toEqual([])
})

test('one mail that cannot be sent is retried later and delays no other', async () => {
  const [first, broken, last] = [await queueMail(), await queueMail(), await queueMail()]
  await injectMailFault('fail', broken.recipient)
  expect(await consume([first, broken, last, { id: 'mail_unknown' }].map(({ id }) => job(id)))).toEqual({
    done: ['message0', 'message2', 'message3'],
    again: ['message1'],
  })
  expect(takeErrorLines().join()).toContain('job_failed')
  expect(await outcomeOf(first)).toEqual({ status: 'SENT', copies: [first.id] })
  expect(await outcomeOf(last)).toEqual({ status: 'SENT', copies: [last.id] })
  expect(await outcomeOf(broken)).toEqual({ status: 'QUEUED', copies: [] })
})

test('the delay between tries grows, up to an hour', () => {
  expect([1, 2, 3, 4, 5, 20].map(retryDelaySec)).toEqual([10, 20, 40, 80, 160, 3600])
})

test('a mail whose message reached the dead-letter queue is dead and never sent', async () => {
  const mail = await queueMail()
  expect(await consume([job(mail.id)], env, 'nhaka-jobs-dead')).toEqual({ done: ['message0'], again: [] })
  expect(takeErrorLines().join()).toContain('mail_dead')
  await consume([job(mail.id)])
  expect(await outcomeOf(mail)).toEqual({ status: 'DEAD', copies: [] })
})
