import { expect, test } from 'vitest'
import { memorials } from '#worker/schema/memorials.table.ts'
import { Client, inviteTokenOf, signedIn, type SignedIn } from '../harness.ts'
import { rowsOf } from '../rows.ts'
import { SOUND, upload } from '../uploads.ts'

async function draft(owner: SignedIn, more: object = {}) {
  return owner.post('/api/memorials', { honoureeFullName: 'Tendai Moyo', ...more })
}

test('an account without a payment gets three drafts that only it can see', async () => {
  const owner = await signedIn()
  const pushed = { status: 'ACTIVE', isPaid: true, privacy: 'LOCKED', paymentId: 'pay_x', lockedAt: 1 }
  const made = [await draft(owner), await draft(owner, pushed), await draft(owner), await draft(owner)]
  expect(made.map(({ status, body }) => [status, body.status, body.privacy, body.isPaid, body.code])).toEqual(
    [
      ...Array.from({ length: 3 }, () => [201, 'DRAFT', 'PRIVATE', false, undefined]),
      [409, undefined, undefined, undefined, 'too_many_drafts'],
    ],
  )
  const atOnce = await Promise.all(Array.from({ length: 10 }, () => draft(owner)))
  expect(new Set(atOnce.map(({ status }) => status))).toEqual(new Set([409]))
})

test('an unpaid draft can be edited and filled, but no call can share it', async () => {
  const owner = await signedIn()
  const { body: memorial } = await draft(owner)
  const path = `/api/memorials/${memorial.id}`
  const pushed = { title: 'Beloved', status: 'ACTIVE', isPaid: true, privacy: 'INVITE', lockedAt: 1 }
  const written = [
    (await owner.patch(path, pushed)).status,
    (await owner.put(`${path}/location`, { latitude: 1, longitude: 1 })).status,
    (await owner.put(`${path}/funeral`, { dateTime: '2026-06-06T10:00' })).status,
    (await upload(owner, memorial.id, SOUND)).status,
  ]
  expect(written).toEqual([200, 200, 200, 201])
  for (const privacy of ['INVITE', 'LOCKED']) {
    const { status, body } = await owner.patch(`${path}/privacy`, { privacy, isPaid: true })
    expect([status, body.code]).toEqual([402, 'payment_required'])
  }
  expect((await owner.post(`${path}/restore`)).status).toBe(409)
  const token = await inviteTokenOf(owner, memorial.id)
  const anybody = new Client()
  expect([
    (await anybody.get(path)).status,
    (await anybody.get(`/api/memorial/${memorial.slug}`)).status,
    (await anybody.get(`/api/invite/${token}`)).status,
    (await anybody.post(`/api/invite/${token}/session`, { displayName: 'Farai', email: '' })).status,
    (await anybody.get(`${path}?invite=${token}`)).status,
  ]).toEqual([403, 403, 403, 403, 403])
  expect(await rowsOf(memorials, { id: memorial.id })).toMatchObject([
    { status: 'DRAFT', privacy: 'PRIVATE', lockedAt: null, title: 'Beloved' },
  ])
})
