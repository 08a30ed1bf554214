import { expect, test } from 'vitest'
import type { AdminMail, AdminMailPage } from '#shared/admin/admin.ts'
import { drainMailOutbox } from '#worker/features/mail/mail.jobs.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { newId, randomBase32 } from '#worker/platform/random.ts'
import { signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { rowsOf, auditOf } from '../../../../test/worker/rows.ts'

type MailRow = typeof mails.$inferSelect

async function mailOf(change: Partial<MailRow> = {}) {
  const row = {
    id: newId('mail'),
    kind: 'already-registered' as const,
    recipient: `${randomBase32(12)}@family.test`,
    subjectId: 'usr_nobody',
    createdAt: Date.now(),
    ...change,
  }
  await testCtx().db.insert(mails).values(row)
  return row
}

/** In the order of the lists: newest first. */
const newestFirst = <T extends { id: string; createdAt: number }>(rows: T[]) =>
  rows.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))

const dead = { status: 'DEAD' as const, attempts: 6, lastError: 'MailChannels: 500 no' }

test('dead and queued mails are listed newest first; sent and cancelled ones not', async () => {
  const admin = await signedIn({ admin: true })
  // Newer than everything in the outbox, and claimed, so that no consumer sends them.
  const at = Date.now() + 60_000
  const claimedUntil = at + 600_000
  const given = [
    await mailOf({ ...dead, createdAt: at }),
    await mailOf({ claimedUntil, createdAt: at + 1 }),
    await mailOf({ ...dead, createdAt: at + 2 }),
    await mailOf({ claimedUntil, createdAt: at + 2 }),
  ]
  await mailOf({ status: 'SENT', createdAt: at + 3 })
  await mailOf({ status: 'CANCELLED', createdAt: at + 3 })
  const { body } = await admin.get<AdminMailPage>('/api/admin/mails')
  const expected = newestFirst(given).map(
    ({ id, kind, recipient, createdAt, status, attempts, lastError }) => ({
      id,
      kind,
      recipient,
      status: status ?? 'QUEUED',
      attempts: attempts ?? 0,
      lastError: lastError ?? null,
      createdAt: new Date(createdAt).toISOString(),
    }),
  )
  expect(body.mails.slice(0, 4)).toEqual(expected)
})

test('pages of mails hold 20 and show each mail once, in any status', async () => {
  const admin = await signedIn({ admin: true })
  const at = Date.now() + 3_600_000
  const ids = new Set<string>()
  for (let i = 0; i < 30; i += 1) {
    const state = i % 3 === 0 ? { claimedUntil: at + 600_000 } : dead
    ids.add((await mailOf({ ...state, createdAt: at + Math.floor(i / 4) })).id)
  }
  const first = (await admin.get<AdminMailPage>('/api/admin/mails')).body
  const second = (await admin.get<AdminMailPage>(`/api/admin/mails?cursor=${first.nextCursor}`)).body
  expect(first.mails).toHaveLength(20)
  const shown = [...first.mails, ...second.mails].map(({ id }) => id).slice(0, 30)
  expect(new Set(shown)).toEqual(ids)
  const times = [...first.mails, ...second.mails].map(({ createdAt }) => createdAt)
  expect(times).toEqual(times.toSorted().toReversed())
})

test('a dead mail is resent once, even when the button is pressed repeatedly', async () => {
  const admin = await signedIn({ admin: true })
  const mail = await mailOf(dead)
  const press = () => admin.post<AdminMail>(`/api/admin/mails/${mail.id}/resend`)
  const answers = await Promise.all([press(), press(), press()])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
  expect(answers.find(({ status }) => status === 200)?.body).toEqual({
    id: mail.id,
    kind: 'already-registered',
    recipient: mail.recipient,
    status: 'QUEUED',
    attempts: 0,
    lastError: 'MailChannels: 500 no',
    createdAt: new Date(mail.createdAt).toISOString(),
  })
  expect(await mailboxOf(mail.recipient, 1)).toHaveLength(1)
  expect(await rowsOf(mails, { id: mail.id })).toMatchObject([{ status: 'SENT' }])
  expect(await auditOf({ targetId: mail.id }, 'actorId', 'action', 'targetKind', 'detail')).toEqual([
    { actorId: admin.user.id, action: 'resend_mail', targetKind: 'mail', detail: null },
  ])
})

test('the next cron run does not treat a resent mail as lost', async () => {
  const admin = await signedIn({ admin: true })
  const mail = await mailOf({ ...dead, createdAt: Date.now() - 86_400_000 })
  await admin.post(`/api/admin/mails/${mail.id}/resend`)
  const enqueued: string[] = []
  const ctx = {
    ...testCtx(),
    enqueue: async (...jobs: { type: string; mailId?: string }[]) => {
      enqueued.push(...jobs.map(({ mailId }) => mailId ?? ''))
    },
  }
  await drainMailOutbox(ctx)
  expect(enqueued).not.toContain(mail.id)
})

test('only a dead mail can be resent, and an unknown one is not found', async () => {
  const admin = await signedIn({ admin: true })
  for (const status of ['QUEUED', 'SENT', 'CANCELLED'] as const) {
    const mail = await mailOf({ status, claimedUntil: Date.now() + 600_000 })
    const answer = await admin.post(`/api/admin/mails/${mail.id}/resend`)
    expect([status, answer.status, answer.body]).toEqual([
      status,
      409,
      {
        code: 'conflict',
        message: 'This email is not waiting to be sent again. Reload the page to see its state.',
      },
    ])
    expect(await rowsOf(mails, { id: mail.id })).toMatchObject([{ status }])
    expect(await auditOf({ targetId: mail.id }, 'action')).toEqual([])
  }
  expect((await admin.post('/api/admin/mails/mail_nothing/resend')).status).toBe(404)
})
