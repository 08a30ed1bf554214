import { expect, test } from 'vitest'
import { CONTRIBUTOR_SESSION_EXPIRES_MS, DAY_MS, RECORDS_KEPT_MS } from '#shared/limits.ts'
import { GUEST_NAME } from '#shared/ids.ts'
import { deleteOldRecords } from '#worker/features/removal/retention.jobs.ts'
import { idempotencyKeys } from '#worker/schema/idempotency.table.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import {
  contributorOf,
  inviteTokenOf,
  joinedBy,
  memorialOf,
  testCtx,
} from '../../../../test/worker/harness.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'

const LATER = (ms: number) => testCtx(() => Date.now() + ms)

test('sent and cancelled mails go after half a year; waiting and dead ones stay', async () => {
  const states = ['QUEUED', 'SENT', 'DEAD', 'CANCELLED'] as const
  const mail = { kind: 'receipt', recipient: 'rudo@retention.test', subjectId: 'pay_retention' } as const
  await testCtx()
    .db.insert(mails)
    .values(states.map((status) => ({ ...mail, id: `mail_${status}`, status, createdAt: Date.now() })))
  const left = async () =>
    (await rowsOf(mails, { subjectId: mail.subjectId })).map(({ status }) => status).toSorted()
  await deleteOldRecords(LATER(RECORDS_KEPT_MS - DAY_MS))
  expect(await left()).toEqual(states.toSorted())
  await deleteOldRecords(LATER(RECORDS_KEPT_MS + DAY_MS))
  expect(await left()).toEqual(['DEAD', 'QUEUED'])
})

test('a key repeats its answer while a session lives, and goes with the last session', async () => {
  expect(RECORDS_KEPT_MS).toBeGreaterThanOrEqual(CONTRIBUTOR_SESSION_EXPIRES_MS)
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const relative = await contributorOf(owner, memorial.id)
  const { contributorId } = relative.session
  const send = async () => {
    const headers = { 'Idempotency-Key': '5c1a7e0e-6a5c-4d5e-9d3b-3f0c2b1a9e77' }
    const answer = await relative.post(
      `/api/memorials/${memorial.id}/comments`,
      { body: 'Rest well' },
      { headers },
    )
    return answer.body.comment.id as string
  }
  const first = await send()
  await deleteOldRecords(LATER(RECORDS_KEPT_MS - DAY_MS))
  expect(await send()).toBe(first)
  await deleteOldRecords(LATER(RECORDS_KEPT_MS + DAY_MS))
  expect(await rowsOf(idempotencyKeys, { actorId: contributorId })).toEqual([])
})

test('of ended visits only people who gave a name stay, without their token', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const token = await inviteTokenOf(owner, memorial.id)
  const relative = await joinedBy(token, 'Tariro')
  const leaver = await joinedBy(token, GUEST_NAME)
  await joinedBy(token, GUEST_NAME)
  await relative.post(`/api/memorials/${memorial.id}/comments`, { body: 'Rest well' })
  await leaver.post('/api/auth/logout')
  const left = async () =>
    (await rowsOf(contributors, { memorialId: memorial.id }))
      .map(({ displayName, tokenHash }) => `${displayName}: ${tokenHash === null ? 'ended' : 'has a token'}`)
      .toSorted()
  await deleteOldRecords(LATER(CONTRIBUTOR_SESSION_EXPIRES_MS - DAY_MS))
  expect(await left()).toEqual([`${GUEST_NAME}: ended`, `${GUEST_NAME}: has a token`, 'Tariro: has a token'])
  await deleteOldRecords(LATER(CONTRIBUTOR_SESSION_EXPIRES_MS + DAY_MS))
  expect(await left()).toEqual(['Tariro: ended'])
  const { body } = await owner.get(`/api/memorials/${memorial.id}/comments`)
  expect(body.comments).toMatchObject([{ authorName: 'Tariro' }])
})

test('one run deletes more than one batch', async () => {
  const at = Date.now() - RECORDS_KEPT_MS - DAY_MS
  await testCtx().db.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1201)
    INSERT INTO idempotency_keys SELECT 'usr_many', 'key-' || i, 'com_' || i, ${at} FROM n`)
  await deleteOldRecords(testCtx())
  expect(await rowsOf(idempotencyKeys, { actorId: 'usr_many' })).toEqual([])
})
