import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { HOUR_MS, MEDIA_MAX_BYTES, MEMORIAL_QUOTA, MINUTE_MS } from '#shared/limits.ts'
import type { Privacy } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { appendChunk } from '#worker/features/media/finish-resumable.ts'
import { sweepUploads } from '#worker/features/media/resumable.jobs.ts'
import type { QuotaItem } from '#worker/features/quota/quota-limits.ts'
import { media, resumableUploads } from '#worker/schema/media.table.ts'
import {
  contributorOf,
  invited,
  inviteTokenOf,
  joinedBy,
  memorialOf,
  testCtx,
  type Client,
  type SignedIn,
} from '../../../../test/worker/harness.ts'
import { atOnce, inTurn } from '../../../../test/worker/repeat.ts'
import { beginUpload, begunUpload, headOf, sendTusChunk, stateOfUpload } from '../../../../test/worker/tus.ts'
import {
  mediaRowsOf,
  NO_MEDIA,
  objectsOf,
  quotaItemsOf,
  sendFixture,
  silence,
  storedMedia,
} from '../../../../test/worker/uploads.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'
import { fixture } from '../../../../test/worker/fixtures.ts'

const MB = 1024 * 1024
const VIDEO = { length: MEDIA_MAX_BYTES.contributor.VIDEO, type: 'VIDEO' }
const { beingSent } = messages.media
const quotaOf = (memorialId: string) => env.QUOTA.getByName(memorialId)

const item = (mediaId: string, more: Partial<QuotaItem> = {}): QuotaItem => ({
  mediaId,
  type: 'VIDEO',
  contributorId: `con_of_${mediaId}`,
  bytes: 250 * MB,
  durationSec: 0,
  ...more,
})

/** Status and message of announcing a video of 250 MB without sending a byte. */
async function announce(client: Client, memorialId: string, file = VIDEO) {
  const answer = await beginUpload(client, memorialId, file)
  const { code, message } =
    answer.status === 201 ? {} : await answer.json<{ code?: string; message?: string }>()
  return [answer.status, code, message]
}

const TAKEN = [201, undefined, undefined]

/** The whole minutes that each open reservation of a memorial has left. */
async function minutesLeft(memorialId: string): Promise<number[]> {
  return runInDurableObject(quotaOf(memorialId), (_, { storage }) =>
    storage.sql
      .exec<{ at: number }>('SELECT expires_at AS at FROM items WHERE expires_at IS NOT NULL')
      .toArray()
      .map(({ at }) => Math.round((at - Date.now()) / MINUTE_MS)),
  )
}

/** Lets all open reservations of a memorial expire now. Its alarm doesn't run. */
async function letReservationsExpire(memorialId: string): Promise<void> {
  await runInDurableObject(quotaOf(memorialId), (_, { storage }) => {
    storage.sql.exec('UPDATE items SET expires_at = ? WHERE expires_at IS NOT NULL', Date.now() - 1)
  })
}

/** The quota of a new memorial that holds this many videos of `bytes` bytes each; their files don't exist. */
async function quotaHolding(videos: number, bytes: number) {
  const { memorial } = await memorialOf({ privacy: 'INVITE' })
  const rows = Array.from({ length: videos }, (_, n) => ({
    id: `med_held${n}${memorial.id}`,
    memorialId: memorial.id,
    type: 'VIDEO' as const,
    mimeType: 'video/mp4',
    size: bytes,
    originalFileName: 'a.mp4',
    objectKey: `held/${n}`,
    createdAt: Date.now(),
  }))
  for (let at = 0; at < videos; at += 5)
    await testCtx()
      .db.insert(media)
      .values(rows.slice(at, at + 5))
  return quotaOf(memorial.id)
}

test('81 people announcing 20 GB can’t close a memorial to its owner or the next link', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const token = await inviteTokenOf(owner, memorial.id)
  const answers = await inTurn(81, async (n) => announce(await joinedBy(token, `Nobody ${n}`), memorial.id))
  const refused = [409, 'quota_exceeded', beingSent.bytes]
  expect(answers).toEqual(answers.map((_, n) => (n < 20 ? TAKEN : refused)))
  expect(beingSent.bytes).toContain('being sent')

  expect(await announce(owner, memorial.id)).toEqual(TAKEN)
  expect(await sendFixture(owner, memorial.id, 'photo.png')).toMatch(/^med_/u)
  await owner.post(`${path}/invite-link/rotate`)
  const aunt = await contributorOf(owner, memorial.id, 'Tete Chipo')
  expect(await announce(aunt, memorial.id)).toEqual(TAKEN)
  expect(await sendFixture(aunt, memorial.id, 'photo.png')).toMatch(/^med_/u)
})

test('100 announced videos leave the owner and the next link their places', async () => {
  const { owner, memorial, path } = await memorialOf({ privacy: 'INVITE' })
  const announced = (n: number, link: string) =>
    quotaOf(memorial.id).reserve(item(`med_${link}${n}`, { bytes: 1 }), 'announced', link)
  const limits = await inTurn(101, (n) => announced(n, 'first'))
  expect(limits).toEqual([...Array(100).fill(null), 'sending_VIDEO'])
  expect(await announce(owner, memorial.id)).toEqual(TAKEN)
  // Also if the new link could not drop what came by the old one.
  expect(await announced(1, 'second')).toBeNull()
  await owner.post(`${path}/invite-link/rotate`)
  expect(await quotaItemsOf(memorial.id)).toHaveLength(1)
})

test('one link reserves a quarter of what is free, the owner all of it', async () => {
  const GB = 1024 * MB
  const quota = await quotaHolding(1, 6 * GB)
  await quota.reserve(item('med_owners', { bytes: 2 * GB, contributorId: null }), 'announced')
  const byLink = (id: string, bytes: number, link = 'a link') =>
    quota.reserve(item(id, { bytes }), 'announced', link)
  // Of 12 GB.
  expect(await byLink('med_1', 2 * GB)).toBeNull()
  expect(await byLink('med_2', GB)).toBeNull()
  expect(await byLink('med_3', 1)).toBe('sending_bytes')
  expect(await byLink('med_4', 3 * GB, 'another link')).toBeNull()
  const owners = (bytes: number) => item('med_new', { bytes, contributorId: null })
  expect(await quota.reserve(owners(12 * GB + 1), 'announced')).toBe('sending_bytes')
  expect(await quota.reserve(owners(14 * GB + 1), 'announced')).toBe('memorial_bytes')
  expect(await quota.reserve(owners(12 * GB), 'announced')).toBeNull()
})

test('one file fits into the last of a memorial, though it needs more than a quarter', async () => {
  const quota = await quotaHolding(1, MEMORIAL_QUOTA.bytes - 300 * MB)
  expect(await quota.reserve(item('med_1'), 'announced', 'a link')).toBeNull()
  expect(await quota.reserve(item('med_2', { bytes: 1 }), 'announced', 'a link')).toBe('sending_bytes')
})

test('a reservation lives 15 minutes without a byte, and an hour after each chunk', async () => {
  const { memorial, relative } = await invited()
  const bytes = silence(2 * MB)
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const path = await begunUpload(relative, memorial.id, bytes, 'AUDIO', headers)
  expect(await minutesLeft(memorial.id)).toEqual([15])
  await runInDurableObject(quotaOf(memorial.id), (_, { storage }) => {
    storage.sql.exec('UPDATE items SET expires_at = ?', Date.now() + 3 * MINUTE_MS)
  })
  await begunUpload(relative, memorial.id, bytes, 'AUDIO', headers)
  await sendTusChunk(relative, path, 0, new Uint8Array(0))
  // Bytes that are promised, and not taken.
  expect((await sendTusChunk(relative, path, 1, bytes.slice(0, 1000))).status).toBe(409)
  expect(await minutesLeft(memorial.id)).toEqual([3])
  expect((await sendTusChunk(relative, path, 0, bytes.slice(0, 1000))).status).toBe(204)
  expect(await minutesLeft(memorial.id)).toEqual([60])
})

test('expired reservations count nowhere, even before their alarm', async () => {
  const { memorial, relative } = await invited()
  const used = async () =>
    (await relative.get(`/api/memorials/${memorial.id}/contributor-session`)).body.quotas.video.used
  expect(await announce(relative, memorial.id)).toEqual(TAKEN)
  expect(await announce(relative, memorial.id)).toEqual([409, 'quota_exceeded', messages.media.quotaVideo])
  expect(await used()).toBe(1)
  await letReservationsExpire(memorial.id)
  expect(await used()).toBe(0)
  expect(await announce(relative, memorial.id)).toEqual(TAKEN)
})

test('an upload whose reservation has expired reserves again and goes on where it was', async () => {
  const { memorial, relative } = await invited()
  const bytes = silence(300_000)
  const path = await begunUpload(relative, memorial.id, bytes, 'AUDIO')
  await sendTusChunk(relative, path, 0, bytes.slice(0, 100_000))
  await letReservationsExpire(memorial.id)
  expect((await sendTusChunk(relative, path, 100_000, bytes.slice(100_000, 200_000))).status).toBe(204)
  expect(await minutesLeft(memorial.id)).toEqual([60])
  await letReservationsExpire(memorial.id)
  expect((await sendTusChunk(relative, path, 200_000, bytes.slice(200_000))).status).toBe(204)
  expect(await mediaRowsOf(memorial.id)).toMatchObject([{ size: bytes.byteLength }])
})

test('an upload that finds no room keeps its bytes and goes on once there is room', async () => {
  const { memorial, relative } = await invited()
  const bytes = silence(300_000)
  const path = await begunUpload(relative, memorial.id, bytes, 'AUDIO')
  await sendTusChunk(relative, path, 0, bytes.slice(0, 100_000))
  await letReservationsExpire(memorial.id)
  const owners = item('med_owners', { type: 'AUDIO', contributorId: null, bytes: MEMORIAL_QUOTA.bytes })
  await quotaOf(memorial.id).reserve(owners, 'announced')
  const refused = await sendTusChunk(relative, path, 100_000, bytes.slice(100_000))
  expect([refused.status, await refused.json()]).toEqual([
    409,
    { code: 'quota_exceeded', message: beingSent.bytes },
  ])
  await quotaOf(memorial.id).release('med_owners')
  expect((await headOf(relative, path)).headers.get('Upload-Offset')).toBe('100000')
  expect((await sendTusChunk(relative, path, 100_000, bytes.slice(100_000))).status).toBe(204)
  expect(await mediaRowsOf(memorial.id)).toHaveLength(1)
})

test('a complete file waits while the owner sends into its place, and is added after', async () => {
  const { memorial, relative } = await invited()
  const bytes = await fixture('voice-note-2s.ogg')
  const path = await begunUpload(relative, memorial.id, bytes, 'AUDIO')
  await sendTusChunk(relative, path, 0, bytes.slice(0, 1000))
  const owners = item('med_owners', { contributorId: null, bytes: MEMORIAL_QUOTA.bytes })
  expect(await quotaOf(memorial.id).reserve(owners, 'announced')).toBeNull()
  const [row] = await rowsOf(resumableUploads, { memorialId: memorial.id })
  const rest = bytes.slice(1000)
  await appendChunk(testCtx(), row!, { offset: 1000, announced: rest.byteLength }, new Response(rest).body)
  const waiting = await stateOfUpload(relative, path)
  expect([waiting.status, waiting.body.message]).toEqual([409, beingSent.bytes])
  await quotaOf(memorial.id).release('med_owners')
  expect((await stateOfUpload(relative, path)).body).toMatchObject({ mediaId: expect.any(String) })
  expect(await mediaRowsOf(memorial.id)).toHaveLength(1)
})

test('a memorial never exceeds its limit, though the owner may use reserved places', async () => {
  const quota = await quotaHolding(99, 1)
  expect(await quota.reserve(item('med_theirs', { bytes: 1 }), 'resumable', 'a link')).toBeNull()
  const owners = item('med_owners', { bytes: 1, contributorId: null })
  expect(await quota.reserve(owners, 'resumable')).toBeNull()
  expect(await quota.commit(item('med_theirs', { bytes: 1 }))).toBe('sending_VIDEO')
  expect(await quota.commit(owners)).toBeNull()
  expect(await quota.commit(owners)).toBeNull()
  expect(await quota.commit(item('med_theirs', { bytes: 1 }))).toBe('memorial_VIDEO')
})

const CLOSINGS: [string, number, (owner: SignedIn, path: string) => Promise<unknown>][] = [
  ['a new link', 403, (owner, path) => owner.post(`${path}/invite-link/rotate`)],
  ['PRIVATE', 403, (owner, path) => setPrivacy(owner, path, 'PRIVATE')],
  ['LOCKED', 409, (owner, path) => setPrivacy(owner, path, 'LOCKED')],
]

async function setPrivacy(owner: SignedIn, path: string, privacy: Privacy) {
  return owner.patch(`${path}/privacy`, { privacy })
}

test.each(CLOSINGS)('%s drops what contributors are sending, not the owner’s', async (_, status, close) => {
  const { owner, memorial, relative, path } = await invited()
  const bytes = silence(7 * MB)
  const theirs = await begunUpload(relative, memorial.id, bytes, 'AUDIO')
  await sendTusChunk(relative, theirs, 0, bytes.slice(0, 6 * MB))
  const owners = await begunUpload(owner, memorial.id, bytes, 'AUDIO')
  await sendTusChunk(owner, owners, 0, bytes.slice(0, MB))
  await close(owner, path)
  expect(await minutesLeft(memorial.id)).toEqual([60])
  expect((await sendTusChunk(relative, theirs, 6 * MB, bytes.slice(6 * MB))).status).toBe(status)
  await sweepUploads(testCtx())
  expect(await objectsOf(memorial.id)).toEqual([])
  const stored = env.UPLOADS.getByName(theirs.split('/').at(-1)!)
  expect(
    await runInDurableObject(stored, (__, { storage }) =>
      storage.sql.exec('SELECT name FROM sqlite_master').toArray(),
    ),
  ).toEqual([])
  await setPrivacy(owner, path, 'INVITE')
  expect((await sendTusChunk(owner, owners, MB, bytes.slice(MB))).status).toBe(204)
})

test('an upload dropped by LOCKED says so to tus, and its key resumes it after INVITE', async () => {
  const { owner, memorial, relative, path } = await invited()
  const bytes = silence(200_000)
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const upload = await begunUpload(relative, memorial.id, bytes, 'AUDIO', headers)
  await sendTusChunk(relative, upload, 0, bytes.slice(0, 100_000))
  await setPrivacy(owner, path, 'LOCKED')
  await setPrivacy(owner, path, 'INVITE')
  expect((await sendTusChunk(relative, upload, 100_000, bytes.slice(100_000))).status).toBe(410)
  expect((await headOf(relative, upload)).status).toBe(410)
  expect(await begunUpload(relative, memorial.id, bytes, 'AUDIO', headers)).toBe(upload)
  expect((await headOf(relative, upload)).headers.get('Upload-Offset')).toBe('100000')
  expect((await sendTusChunk(relative, upload, 100_000, bytes.slice(100_000))).status).toBe(204)
})

test('a chunk in flight does not revive an upload that a new link has dropped', async () => {
  const { owner, memorial, relative, path } = await invited()
  const bytes = silence(MB)
  const upload = await begunUpload(relative, memorial.id, bytes, 'AUDIO')
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const sent = sendTusChunk(relative, upload, 0, readable)
  await writer.write(bytes.subarray(0, 300_000))
  await owner.post(`${path}/invite-link/rotate`)
  await writer.close()
  await sent
  await sweepUploads(testCtx())
  expect(await rowsOf(resumableUploads, { memorialId: memorial.id })).toEqual([])
  expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
})

test('an object made before links were counted goes on counting', async () => {
  const quota = quotaOf('mem_old')
  await runInDurableObject(quota, (_, { storage }) => {
    storage.sql.exec('DROP TABLE items')
    storage.sql.exec(`CREATE TABLE items (media_id TEXT PRIMARY KEY, type TEXT NOT NULL, contributor_id TEXT,
      bytes INTEGER NOT NULL, duration_sec REAL NOT NULL, lease TEXT, expires_at INTEGER)`)
    const values = ['med_old', 'con_old', Date.now() + HOUR_MS]
    storage.sql.exec("INSERT INTO items VALUES (?, 'VIDEO', ?, 1, 0, 'resumable', ?)", ...values)
  })
  await evictDurableObject(quota)
  const second = item('med_new', { contributorId: 'con_old' })
  expect(await quota.reserve(second, 'announced', 'a link')).toBe('contributor_VIDEO')
  expect(await quota.reserve(item('med_other'), 'announced', 'a link')).toBeNull()
})

test('of 30 announcements at once by one link exactly as many fit as one after another', async () => {
  const quota = quotaOf('mem_race')
  const limits = await atOnce(30, (n) => quota.reserve(item(`med_${n}`), 'announced', 'a link'))
  expect(limits.filter((limit) => limit === null)).toHaveLength(20)
})
