import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { AdminMemorial, AdminStats } from '#shared/admin/admin.ts'
import { REMOVAL_NOTE_MAX } from '#shared/limits.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { payments } from '#worker/schema/payments.table.ts'
import {
  Client,
  contributorOf,
  inviteTokenOf,
  memorialOf,
  paidCredit,
  signedIn,
} from '../../../../test/worker/harness.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'
import { upload, SOUND } from '../../../../test/worker/uploads.ts'
import { mailboxOf } from '../../../../test/worker/mailbox.ts'
import { changeRows, auditOf } from '../../../../test/worker/rows.ts'

test('a removed memorial is hidden from all but admins and can be restored intact', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const relative = await contributorOf(owner, memorial.id)
  const invite = await inviteTokenOf(owner, memorial.id)
  const recording = await upload(owner, memorial.id, SOUND)
  const before = (await owner.patch<Memorial>(`${path}/privacy`, { privacy: 'LOCKED' })).body
  const anyone = new Client()
  const addresses = [
    [owner, path],
    [relative, path],
    [anyone, path],
    [anyone, `/api/memorial/${memorial.slug}`],
    [anyone, `/media/stream/${recording.body.id}`],
    [owner, `/media/stream/${recording.body.id}`],
    [anyone, `/api/invite/${invite}`],
    [relative, `${path}/comments`],
    [relative, `${path}/media`],
    [owner, `${path}/audit`],
    [relative, `${path}/contributor-session`],
  ] as const
  const statuses = async () => {
    const found: number[] = []
    for (const [client, address] of addresses) {
      const answer = await client.fetch(address)
      await answer.arrayBuffer()
      found.push(answer.status)
    }
    return found
  }
  expect(await statuses()).toEqual(addresses.map(() => 200))

  const removed = await admin.post<AdminMemorial>(`/api/admin/memorials/${memorial.id}/remove`)
  expect([removed.status, removed.body]).toEqual([
    200,
    {
      ...before,
      lifeStory: null,
      status: 'REMOVED',
      updatedAt: expect.any(String),
      owner: { id: owner.user.id, email: owner.user.email, suspendedAt: null },
      payment: { status: 'PAID' },
    },
  ])
  expect(await statuses()).toEqual(addresses.map(() => 404))
  expect((await owner.get('/api/dashboard')).body.memorials).toEqual([])
  expect((await owner.post(`${path}/restore`)).status).toBe(404)
  expect((await owner.patch(path, { title: 'x' })).status).toBe(404)
  expect((await admin.get(path)).body.memorial.status).toBe('REMOVED')
  const shown = await admin.fetch(`/media/stream/${recording.body.id}`)
  expect([shown.status, shown.headers.get('Cache-Control')]).toEqual([200, 'private, no-store'])
  await shown.arrayBuffer()

  const back = await admin.post<AdminMemorial>(`/api/admin/memorials/${memorial.id}/restore`)
  expect([back.status, back.body.status]).toEqual([200, 'ACTIVE'])
  expect(await statuses()).toEqual(addresses.map(() => 200))
  expect((await owner.get(path)).body.memorial).toEqual({ ...before, updatedAt: expect.any(String) })
  expect(await auditOf({ memorialId: memorial.id }, 'actorId', 'action', 'detail')).toEqual([
    { actorId: admin.user.id, action: 'remove_memorial', detail: { before: 'ACTIVE', after: 'REMOVED' } },
    { actorId: admin.user.id, action: 'see_memorial', detail: null },
    { actorId: admin.user.id, action: 'restore_memorial', detail: null },
  ])
})

test('repeated and simultaneous removals or restores happen and are logged once', async () => {
  const admin = await signedIn({ admin: true })
  const { memorial } = await memorialOf()
  for (const verb of ['remove', 'restore']) {
    const call = () => admin.post<AdminMemorial>(`/api/admin/memorials/${memorial.id}/${verb}`)
    const answers = [...(await Promise.all([call(), call()])), await call()]
    expect([verb, answers.map(({ status }) => status)]).toEqual([verb, [200, 200, 200]])
    expect(new Set(answers.map(({ body }) => body.updatedAt)).size).toBe(1)
  }
  expect((await auditOf({ memorialId: memorial.id }, 'action')).map(({ action }) => action)).toEqual([
    'remove_memorial',
    'restore_memorial',
  ])
})

test('its owner reads the reason in one mail and on the dashboard, and that it is back', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorial } = await memorialOf({ privacy: 'LOCKED', name: 'Ambuya Chipo' })
  const call = (verb: string, body?: object) =>
    admin.post<AdminMemorial>(`/api/admin/memorials/${memorial.id}/${verb}`, body)
  const hidden = async () => (await owner.get('/api/dashboard/deleted')).body
  const told = async (count: number) =>
    (await mailboxOf(owner.user.email, count)).filter(({ subject }) => /memorial/u.test(subject))
  const reason = 'A relative told us that two photos are theirs.\nPlease write to us.'
  expect(await hidden()).toEqual({ memorials: [], removed: [] })

  await Promise.all([call('remove', { reason }), call('remove', { reason })])
  const card = { id: memorial.id, honoureeFullName: 'Ambuya Chipo' }
  expect(await hidden()).toEqual({ memorials: [], removed: [{ ...card, reason }] })
  const [removed, ...others] = await told(1)
  expect(others).toEqual([])
  for (const part of ['Ambuya Chipo', reason, 'Nothing is deleted', '/contact', env.SUPPORT_EMAIL])
    expect(removed?.text).toContain(part)
  // Audit rows outlive a purge, so they keep no words about people.
  expect(JSON.stringify(await auditOf({ memorialId: memorial.id }, 'detail'))).not.toContain('relative')

  await call('restore')
  await call('restore')
  expect(await hidden()).toEqual({ memorials: [], removed: [] })
  expect((await owner.get('/api/dashboard')).body.memorials).toHaveLength(1)
  expect((await told(2)).map(({ subject }) => subject)).toEqual([
    'Your memorial is back',
    'A memorial was removed',
  ])

  await call('remove')
  expect(await hidden()).toEqual({ memorials: [], removed: [{ ...card, reason: null }] })
  expect((await told(3))[0]?.text).toContain('If you’d like to know why, please ask us.')
  const tooLong = await call('remove', { reason: 'x'.repeat(REMOVAL_NOTE_MAX + 1) })
  expect([tooLong.status, await hidden()]).toEqual([
    400,
    { memorials: [], removed: [{ ...card, reason: null }] },
  ])
})

test('an unpaid memorial is restored as a draft, one paid since as active', async () => {
  const admin = await signedIn({ admin: true })
  const owner = await signedIn()
  const id = await draftOf(owner)
  const call = (verb: string) => admin.post<AdminMemorial>(`/api/admin/memorials/${id}/${verb}`)
  await call('remove')
  expect((await call('restore')).body).toMatchObject({ status: 'DRAFT', isPaid: false, payment: null })
  await call('remove')
  const creditId = await paidCredit(owner.user.id)
  await changeRows(payments, { id: creditId }, { targetMemorialId: id })
  const { body } = await call('restore')
  expect(body).toMatchObject({ status: 'ACTIVE', isPaid: true, payment: { status: 'PAID' } })
})

test('an admin can neither remove nor restore a memorial that its owner deleted', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorial } = await memorialOf()
  await owner.delete(`/api/memorials/${memorial.id}`, { confirmName: memorial.honoureeFullName })
  for (const verb of ['remove', 'restore']) {
    const { status, body } = await admin.post(`/api/admin/memorials/${memorial.id}/${verb}`)
    expect([verb, status, body]).toEqual([
      verb,
      409,
      {
        code: 'conflict',
        message: 'The owner has deleted this memorial. It is hidden already, and theirs to bring back.',
      },
    ])
  }
  expect(await auditOf({ memorialId: memorial.id }, 'action')).toEqual([])
  expect((await owner.post(`/api/memorials/${memorial.id}/restore`)).status).toBe(200)
})

test('a removed memorial is not counted', async () => {
  const admin = await signedIn({ admin: true })
  const { memorial } = await memorialOf()
  const before = (await admin.get<AdminStats>('/api/admin/stats')).body
  await admin.post(`/api/admin/memorials/${memorial.id}/remove`)
  expect((await admin.get('/api/admin/stats')).body).toEqual({
    totalMemorials: before.totalMemorials - 1,
    activeMemorials: before.activeMemorials - 1,
    paidMemorials: before.paidMemorials - 1,
  })
})
