import { env, evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { HOUR_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { QuotaItem } from '#worker/features/quota/quota-limits.ts'
import { readContributorQuotas } from '#worker/features/quota/quota.ts'
import { memorialOf, testCtx, invited, paidCredit, signedIn } from '../../../../test/worker/harness.ts'
import {
  mediaRowsOf,
  objectsOf,
  quotaItemsOf,
  sendFixture,
  uploadFixture,
} from '../../../../test/worker/uploads.ts'
import { draftOf } from '../../../../test/worker/stripe.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'

const item = (mediaId: string, more: Partial<QuotaItem> = {}): QuotaItem => ({
  mediaId,
  type: 'IMAGE',
  contributorId: 'con_a',
  bytes: 10,
  durationSec: 0,
  ...more,
})
const quotaOf = (memorialId: string) => env.QUOTA.getByName(memorialId)

test('50 simultaneous photos of one contributor make exactly 10 rows and 10 files', async () => {
  const { memorial, relative } = await invited()
  const answers = await atOnce(50, () => uploadFixture(relative, memorial.id, 'polyglot.jpg'))
  const refused = answers.filter(({ status }) => status !== 201)
  expect(refused.map(({ status, body }) => [status, body.code, body.message])).toEqual(
    Array.from({ length: 40 }, () => [409, 'quota_exceeded', messages.media.quotaImages]),
  )
  expect(await mediaRowsOf(memorial.id)).toHaveLength(10)
  const originals = (await objectsOf(memorial.id)).filter((key) => !key.endsWith('.webp'))
  expect(originals).toHaveLength(10)
  expect(await quotaItemsOf(memorial.id)).toHaveLength(10)
  const quotas = await readContributorQuotas(testCtx(), memorial.id, relative.session.contributorId)
  expect(quotas.images).toEqual({ max: 10, used: 10 })
})

test('a contributor adds one video and one recording, each with its duration', async () => {
  const { owner, memorial, relative } = await invited()
  const [video, audio] = ['video-2s.mp4', 'voice-note-2s.ogg']
  expect((await uploadFixture(relative, memorial.id, video)).status).toBe(201)
  expect((await uploadFixture(relative, memorial.id, audio)).status).toBe(201)
  expect((await uploadFixture(relative, memorial.id, video)).body.message).toBe(messages.media.quotaVideo)
  expect((await uploadFixture(relative, memorial.id, audio)).body.message).toBe(messages.media.quotaAudio)
  expect(await readContributorQuotas(testCtx(), memorial.id, relative.session.contributorId)).toEqual({
    images: { max: 10, used: 0 },
    video: { max: 1, used: 1, maxDurationSec: 300, usedDurationSec: expect.closeTo(2, 0) },
    audio: { max: 1, used: 1, maxDurationSec: 600, usedDurationSec: expect.closeTo(2, 0) },
  })
  // Only the memorial's limits apply to the owner.
  expect((await uploadFixture(owner, memorial.id, video)).status).toBe(201)
})

test('10 simultaneous deletions release the quota once', async () => {
  const { memorial, relative } = await invited()
  const first = await sendFixture(relative, memorial.id, 'polyglot.jpg')
  await sendFixture(relative, memorial.id, 'polyglot.jpg')
  const answers = await atOnce(10, () => relative.delete(`/api/media/${first}`))
  expect(new Set(answers.map(({ status }) => status)).size).toBeLessThanOrEqual(2)
  expect(answers.every(({ status }) => status === 204 || status === 404)).toBe(true)
  const quotas = await readContributorQuotas(testCtx(), memorial.id, relative.session.contributorId)
  expect(quotas.images).toEqual({ max: 10, used: 1 })
})

test('a memorial has limits for all contributors together', async () => {
  const { memorial } = await memorialOf()
  const quota = quotaOf(memorial.id)
  await runInDurableObject(quota, (_, { storage }) => {
    for (let at = 0; at < 100; at++) {
      const values = [`med_${at}`, Date.now() + HOUR_MS]
      storage.sql.exec("INSERT INTO items VALUES (?, 'VIDEO', NULL, 1, 1, 'resumable', ?, NULL)", ...values)
    }
  })
  const owners = (more: Partial<QuotaItem>) => item('med_new', { contributorId: null, ...more })
  expect(await quota.reserve(owners({ type: 'VIDEO' }), 'request')).toBe('sending_VIDEO')
  expect(await quota.reserve(owners({ bytes: 20 * 1024 ** 3 }), 'request')).toBe('sending_bytes')
  expect(await quota.reserve(owners({ bytes: 20 * 1024 ** 3 - 100 }), 'request')).toBeNull()
})

test('an unpaid memorial holds 1 GB, and paying lifts that at once', async () => {
  const owner = await signedIn()
  const memorialId = await draftOf(owner)
  const quota = quotaOf(memorialId)
  const heavy = (id: string, bytes: number) => item(id, { contributorId: null, bytes })
  expect(await quota.reserve(heavy('med_big', 1024 ** 3 - 10), 'resumable')).toBeNull()
  const refused = await uploadFixture(owner, memorialId, 'polyglot.jpg')
  expect([refused.status, refused.body.code, refused.body.message]).toEqual([
    409,
    'quota_exceeded',
    messages.media.quotaDraftBytes,
  ])
  // Simultaneous uploads don't pass it together.
  const answers = await atOnce(5, (n) => quota.reserve(heavy(`med_${n}`, 10), 'request'))
  expect(answers.filter((limit) => limit === null)).toHaveLength(1)
  expect(new Set(answers)).toEqual(new Set([null, 'draft_bytes']))

  await paidCredit(owner.user.id)
  expect((await owner.post(`/api/memorials/${memorialId}/credit`)).status).toBe(204)
  expect((await uploadFixture(owner, memorialId, 'polyglot.jpg')).status).toBe(201)
  expect(await quota.commit(heavy('med_late', 1024 ** 3))).toBeNull()
  // A restarted object looks it up again.
  await evictDurableObject(quota)
  expect(await quota.commit(heavy('med_later', 1024 ** 3))).toBeNull()
})

test('a restarted object drops request reservations and keeps resumable ones', async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const quota = quotaOf(memorial.id)
  const stored = await sendFixture(owner, memorial.id, 'polyglot.jpg')
  await quota.reserve(item('med_request'), 'request')
  await quota.reserve(item('med_resumable'), 'resumable')
  expect(await quotaItemsOf(memorial.id)).toHaveLength(3)
  await evictDurableObject(quota)
  expect(await quotaItemsOf(memorial.id)).toEqual(['med_resumable', stored].sort())
})

test('a commit without its reservation needs free quota', async () => {
  const quota = quotaOf('mem_commit')
  for (let at = 0; at < 10; at++) await quota.reserve(item(`med_${at}`), 'request')
  await quota.release('med_0')
  expect(await quota.reserve(item('med_other'), 'request')).toBeNull()
  expect(await quota.commit(item('med_0'))).toBe('contributor_IMAGE')
  expect(await quota.commit(item('med_1'))).toBeNull()
  expect(await quota.commit(item('med_1'))).toBeNull()
  expect(await quotaItemsOf('mem_commit')).toHaveLength(10)
})

test('a reservation expires, a committed item does not', async () => {
  const quota = quotaOf('mem_expiry')
  await quota.reserve(item('med_old'), 'resumable')
  await quota.reserve(item('med_new'), 'resumable')
  await quota.commit(item('med_done'))
  await runInDurableObject(quota, (_, { storage }) => {
    storage.sql.exec("UPDATE items SET expires_at = ? WHERE media_id = 'med_old'", Date.now() - 1)
  })
  expect(await runDurableObjectAlarm(quota)).toBe(true)
  expect(await quotaItemsOf('mem_expiry')).toEqual(['med_done', 'med_new'])
  expect(await runInDurableObject(quota, (_, { storage }) => storage.getAlarm())).toBeGreaterThan(Date.now())
})

test('a lost release is corrected before an upload is refused, and only then', async () => {
  const { memorial, relative } = await invited()
  const quota = quotaOf(memorial.id)
  const own = (at: number) => item(`med_${at}`, { contributorId: relative.session.contributorId })
  for (let at = 0; at < 9; at++) await quota.reserve(own(at), 'request')
  // Counted, but its row was deleted while the object could not be reached.
  await quota.commit(own(9))
  expect(await quotaItemsOf(memorial.id)).toHaveLength(10)
  expect(await quota.reserve(own(10), 'request')).toBeNull()
  expect(await quotaItemsOf(memorial.id)).toHaveLength(10)
  expect(await quota.reserve(own(11), 'request')).toBe('contributor_IMAGE')
})
