import { createHash } from 'node:crypto'
import { env, runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { createCtx } from '#worker/platform/ctx.ts'
import { finishAbandonedUpload, appendChunk } from '#worker/features/media/finish-resumable.ts'
import { finishAbandonedUploads, sweepUploads } from '#worker/features/media/resumable.jobs.ts'
import { resumableUploads } from '#worker/schema/media.table.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { fixture } from '../../../../test/worker/fixtures.ts'
import {
  contributorOf,
  memorialOf,
  signedIn,
  testCtx,
  invited,
  type Client,
} from '../../../../test/worker/harness.ts'
import {
  beginUpload,
  headOf,
  sendInTusChunks,
  sendTusChunk,
  begunUpload,
  endUpload,
  stateOfUpload,
  storedOf,
} from '../../../../test/worker/tus.ts'
import {
  mediaRowsOf,
  quotaItemsOf,
  silence,
  upload,
  storedMedia,
  NO_MEDIA,
} from '../../../../test/worker/uploads.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'
import { atOnce } from '../../../../test/worker/repeat.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

const MB = 1024 * 1024
/** How much of a slow chunk is stored at a time. */
const ROW_BYTES = 256 * 1024

/** Waits until the first row of an arriving chunk is stored. */
async function untilBuffered(path: string): Promise<void> {
  const store = env.UPLOADS.getByName(path.split('/').at(-1)!)
  const buffered = async () =>
    runInDurableObject(store, (_, { storage }) => storage.sql.exec('SELECT id FROM held').toArray())
  await expect.poll(buffered).not.toEqual([])
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function storedHash(key: string): Promise<string> {
  const object = await env.MEDIA.get(key)
  return hashOf(new Uint8Array(await object!.arrayBuffer()))
}

/** Expects one media item in a memorial, with exactly these bytes. */
async function expectStored(memorialId: string, bytes: Uint8Array): Promise<void> {
  const [row, ...others] = await mediaRowsOf(memorialId)
  expect([others, await storedHash(row!.objectKey)]).toEqual([[], hashOf(bytes)])
}

/** The row of a memorial's upload after all its bytes have arrived and nothing has finished it. */
async function arrivedRow(memorialId: string, bytes: Uint8Array<ArrayBuffer>) {
  const [row] = await uploadRows(memorialId)
  await appendChunk(testCtx(), row!, { offset: 0, announced: bytes.byteLength }, new Response(bytes).body)
  return row!
}

/** A first chunk of which these bytes are sent; its writer may send more or break it off. */
async function slowChunk(client: Client, path: string, bytes: Uint8Array) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const writer = writable.getWriter()
  const sent = sendTusChunk(client, path, 0, readable)
  await writer.write(bytes)
  return { writer, sent }
}

const uploadRows = (memorialId: string) => rowsOf(resumableUploads, { memorialId })

test.each([
  ['photo-gps.jpg', 'IMAGE', [1000]],
  ['video-2s.mov', 'VIDEO', [1, 7, 100, 333, 4096]],
  ['video-2s.mp4', 'VIDEO', [300_000]],
  ['voice-note-2s.ogg', 'AUDIO', [255, 1, 2000]],
  ['audio-2s.m4a', 'AUDIO', [64 * 1024]],
] as [string, string, number[]][])(
  '%s becomes the same media item in chunks as in one request',
  async (name, type, sizes) => {
    const { owner, memorial } = await memorialOf()
    const bytes = await fixture(name)
    const last = await sendInTusChunks(owner, memorial.id, { bytes, type, name }, sizes)
    expect([last.status, last.headers.get('Upload-Offset')]).toEqual([204, String(bytes.byteLength)])
    const whole = await upload(owner, memorial.id, { bytes, type, name })
    const rows = await mediaRowsOf(memorial.id)
    const row = (id: unknown) => rows.find((medium) => medium.id === id)
    const [made, expected] = [row(last.headers.get('Nhaka-Media-Id')), row(whole.body.id)]
    const { id: _, objectKey: key, createdAt: __, ...facts } = made!
    const { id: ___, objectKey: expectedKey, createdAt: ____, ...expectedFacts } = expected!
    expect(facts).toEqual(expectedFacts)
    expect(await storedHash(key)).toBe(await storedHash(expectedKey))
    expect((await env.MEDIA.head(key))?.httpMetadata).toEqual(
      (await env.MEDIA.head(expectedKey))?.httpMetadata,
    )
    expect((await uploadRows(memorial.id))[0]?.endedAt).not.toBeNull()
  },
)

test('18 MB in chunks of every size become equal parts, byte for byte', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = silence(18 * MB + 12_345)
  for (let at = 44; at < bytes.byteLength; at += 997) bytes[at] = at % 251
  const sizes = [3 * MB, 100, 2 * MB, 6 * MB, 5 * MB, 1, 300_000]
  const last = await sendInTusChunks(owner, memorial.id, { bytes, type: 'AUDIO', name: 'a.wav' }, sizes)
  expect(last.status).toBe(204)
  const [row] = await mediaRowsOf(memorial.id)
  expect(await env.MEDIA.head(row!.objectKey)).toMatchObject({
    size: bytes.byteLength,
    etag: expect.stringMatching(/-4$/u),
  })
  await expectStored(memorial.id, bytes)
})

test('an upload resumes after the bytes that arrived before its connection broke', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = silence(2 * MB)
  const path = await begunUpload(owner, memorial.id, bytes, 'AUDIO')
  const { writer, sent: broken } = await slowChunk(owner, path, bytes.subarray(0, 700_000))
  await writer.abort(new Error('the line broke')).catch(() => null)
  await broken.catch(() => null)
  const offset = Number((await headOf(owner, path)).headers.get('Upload-Offset'))
  expect(offset).toBe(700_000)
  const last = await sendTusChunk(owner, path, offset, bytes.slice(offset))
  expect(last.status).toBe(204)
  await expectStored(memorial.id, bytes)
})

test('a request for the offset aborts a chunk that hangs', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = silence(MB)
  const path = await begunUpload(owner, memorial.id, bytes, 'AUDIO')
  const { writer, sent: hanging } = await slowChunk(owner, path, bytes.subarray(0, 400_000))
  await untilBuffered(path)
  const answers = await Promise.all([headOf(owner, path), headOf(owner, path)])
  const [first, second] = answers.map(({ headers }) => Number(headers.get('Upload-Offset')))
  expect(first).toBeGreaterThanOrEqual(ROW_BYTES)
  expect(second).toBe(first)
  expect((await sendTusChunk(owner, path, first!, bytes.slice(first))).status).toBe(204)
  await writer.abort().catch(() => null)
  await hanging.catch(() => null)
  await expectStored(memorial.id, bytes)
})

test('of 10 simultaneous last chunks one makes the media item, and all get an answer', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = await fixture('photo-gps.jpg')
  const path = await begunUpload(owner, memorial.id, bytes, 'IMAGE')
  const answers = await atOnce(10, () => sendTusChunk(owner, path, 0, bytes.slice()))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204, 409]))
  expect(await mediaRowsOf(memorial.id)).toHaveLength(1)
  const asked = await headOf(owner, path)
  expect(asked.headers.get('Nhaka-Media-Id')).toBe((await mediaRowsOf(memorial.id))[0]?.id)
  expect(await quotaItemsOf(memorial.id)).toHaveLength(1)
})

test('only the sender that created an upload can resume it', { tags: ['upload-own-only'] }, async () => {
  const { owner, memorial } = await memorialOf({ privacy: 'INVITE' })
  const relative = await contributorOf(owner, memorial.id, 'Tariro Moyo')
  const cousin = await contributorOf(owner, memorial.id, 'Farai Moyo')
  const elsewhere = await memorialOf({ privacy: 'INVITE' })
  const bytes = await fixture('photo.png')
  const path = await begunUpload(relative, memorial.id, bytes, 'IMAGE')
  const seen = []
  for (const other of [cousin, owner, elsewhere.owner, await signedIn()]) {
    const answers = [await headOf(other, path), await sendTusChunk(other, path, 0, bytes)]
    answers.push(await endUpload(other, path))
    seen.push(answers.map(({ status }) => status))
  }
  expect(seen).toEqual([
    [404, 404, 404],
    [404, 404, 404],
    [403, 403, 403],
    [403, 403, 403],
  ])
  const moved = path.replace(memorial.id, elsewhere.memorial.id)
  expect((await sendTusChunk(elsewhere.owner, moved, 0, bytes)).status).toBe(404)
  expect((await sendTusChunk(relative, path, 0, bytes)).status).toBe(204)
})

test('quota is reserved at creation, once per key, and released', async () => {
  const { memorial, relative } = await invited()
  const file = { length: 100 * MB, type: 'VIDEO', headers: { 'Idempotency-Key': crypto.randomUUID() } }
  const created = await Promise.all([1, 2, 3].map(() => beginUpload(relative, memorial.id, file)))
  const places = created.map(({ headers }) => headers.get('Location'))
  expect([created.map(({ status }) => status), new Set(places).size]).toEqual([[201, 201, 201], 1])
  expect(await quotaItemsOf(memorial.id)).toHaveLength(1)
  const more = await beginUpload(relative, memorial.id, { length: 1000, type: 'VIDEO' })
  expect([more.status, (await more.json<{ message: string }>()).message]).toEqual([
    409,
    messages.media.quotaVideo,
  ])
  expect((await endUpload(relative, places[0]!)).status).toBe(204)
  expect((await headOf(relative, places[0]!)).status).toBe(404)
  expect(await quotaItemsOf(memorial.id)).toEqual([])
})

test.each([
  ['html-disguised.png', 'IMAGE', 415, 'wrong_type'],
  ['photo.png', 'VIDEO', 415, 'wrong_type'],
  ['photo-truncated.jpg', 'IMAGE', 400, 'bad_input'],
  ['video-too-long.mp4', 'VIDEO', 409, 'too_long'],
] as [string, string, number, string][])(
  '%s declared as %s is refused twice with the same message and leaves nothing',
  async (name, type, status, code) => {
    const { memorial, relative } = await invited()
    const bytes = await fixture(name)
    const path = await begunUpload(relative, memorial.id, bytes, type)
    const refused = await sendTusChunk(relative, path, 0, bytes)
    const words = await refused.json<{ code: string; message: string }>()
    expect([refused.status, words.code]).toEqual([status, code])
    const again = await stateOfUpload(relative, path)
    expect([again.status, again.body.message]).toEqual([status, words.message])
    expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
  },
)

test('an upload leaves nothing behind if the memorial is locked meanwhile', async () => {
  const { owner, memorial, relative } = await invited()
  const bytes = await fixture('photo.png')
  const path = await begunUpload(relative, memorial.id, bytes, 'IMAGE')
  await sendTusChunk(relative, path, 0, bytes.slice(0, 300))
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  const late = await sendTusChunk(relative, path, 300, bytes.slice(300))
  expect([late.status, (await late.json<{ message: string }>()).message]).toEqual([
    409,
    messages.memorial.locked,
  ])
  await sweepUploads(testCtx(() => Date.now() + DAY_MS))
  expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
})

test('a file that arrived whole before the server died is finished without its sender', async () => {
  const { memorial, relative } = await invited()
  const bytes = await fixture('photo-gps.jpg')
  await begunUpload(relative, memorial.id, bytes, 'IMAGE')
  const row = await arrivedRow(memorial.id, bytes)
  await changeRows(resumableUploads, { id: row.id }, { arrivedAt: Date.now() })
  await finishAbandonedUploads(testCtx())
  expect(await mediaRowsOf(memorial.id)).toEqual([])
  await finishAbandonedUploads(testCtx(() => Date.now() + 2 * MINUTE_MS))
  expect(await mediaRowsOf(memorial.id)).toMatchObject([{ id: row.mediaId, contributorId: row.actorId }])
  expect(await quotaItemsOf(memorial.id)).toHaveLength(1)
})

test('a refused file can be sent again with its key once the reason is gone', async () => {
  const { owner, memorial, relative } = await invited()
  const bytes = await fixture('photo.png')
  const key = { 'Idempotency-Key': crypto.randomUUID() }
  const first = await begunUpload(relative, memorial.id, bytes, 'IMAGE', key)
  const row = await arrivedRow(memorial.id, bytes)
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'LOCKED' })
  await finishAbandonedUpload(testCtx(), row)
  await owner.patch(`/api/memorials/${memorial.id}/privacy`, { privacy: 'INVITE' })
  expect((await stateOfUpload(relative, first)).status).toBe(410)
  const again = await begunUpload(relative, memorial.id, bytes, 'IMAGE', key)
  expect((await sendTusChunk(relative, again, 0, bytes)).status).toBe(204)
  expect(await mediaRowsOf(memorial.id)).toHaveLength(1)
  expect(await quotaItemsOf(memorial.id)).toHaveLength(1)
})

test('a complete upload names its media item, and none once that is deleted', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = await fixture('photo.png')
  const path = await begunUpload(owner, memorial.id, bytes, 'IMAGE')
  const stateNow = async () => (await stateOfUpload(owner, path)).body
  expect(await stateNow()).toMatchObject({ offset: 0, mediaId: null, media: null })
  await sendTusChunk(owner, path, 0, bytes)
  const listed = await owner.get(`/api/memorials/${memorial.id}/media`)
  const [medium] = listed.body.media
  expect(await stateNow()).toMatchObject({ mediaId: medium.id, media: medium })
  await owner.fetch(`/api/media/${medium.id}`, { method: 'DELETE' })
  expect(await stateNow()).toMatchObject({ mediaId: medium.id, media: null })
})

test('a complete file that cannot be finished is retried until two days after expiry', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = await fixture('photo-gps.jpg')
  await beginUpload(owner, memorial.id, { length: bytes.byteLength, type: 'IMAGE' })
  const row = await arrivedRow(memorial.id, bytes)
  const input: ImagesBinding['input'] = () => {
    throw Object.assign(new Error('unavailable'), { code: 9529 })
  }
  const sweepAfter = async (ms: number) => {
    const now = () => row.expiresAt + ms
    await sweepUploads(
      createCtx({ env: { ...env, IMAGES: { ...env.IMAGES, input } }, waitUntil: () => {}, now }),
    )
    return (await uploadRows(memorial.id)).length
  }
  expect([await sweepAfter(HOUR_MS), await sweepAfter(2 * DAY_MS - HOUR_MS)]).toEqual([1, 1])
  expect(takeErrorLines()).toHaveLength(2)
  expect(await sweepAfter(2 * DAY_MS)).toBe(0)
  expect(await storedMedia(memorial.id)).toEqual(NO_MEDIA)
})

test('an upload deleted while it is being finished leaves no row without its file', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = await fixture('photo-gps.jpg')
  const path = await begunUpload(owner, memorial.id, bytes, 'IMAGE')
  const row = await arrivedRow(memorial.id, bytes)
  const end = async () => endUpload(owner, path)
  let early = 0
  const input: ImagesBinding['input'] = (...given) => {
    const picture = env.IMAGES.input(...given)
    const output = picture.output.bind(picture)
    picture.output = async (wanted) => {
      if (early === 0) early = (await end()).status
      return output(wanted)
    }
    return picture
  }
  const slow = createCtx({ env: { ...env, IMAGES: { ...env.IMAGES, input } }, waitUntil: () => {} })
  await finishAbandonedUpload(slow, row)
  const [medium] = await mediaRowsOf(memorial.id)
  expect((await env.MEDIA.head(medium!.objectKey))?.size).toBe(bytes.byteLength)
  expect(early).toBe(409)
  expect((await end()).status).toBe(204)
  expect(await mediaRowsOf(memorial.id)).toHaveLength(1)
  expect(await quotaItemsOf(memorial.id)).toEqual([medium!.id])
})

test('creating again with its key resumes an upload that has expired and is not swept', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = silence(100_000)
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  const begin = () => beginUpload(owner, memorial.id, { length: bytes.byteLength, type: 'AUDIO', headers })
  const path = (await begin()).headers.get('Location')!
  await sendTusChunk(owner, path, 0, bytes.slice(0, 60_000))
  await changeRows(resumableUploads, { memorialId: memorial.id }, { expiresAt: Date.now() - MINUTE_MS })
  expect((await headOf(owner, path)).status).toBe(410)
  const again = await begin()
  expect([again.status, again.headers.get('Location')]).toEqual([201, path])
  expect(Date.parse(again.headers.get('Upload-Expires')!)).toBeGreaterThan(Date.now() + DAY_MS - MINUTE_MS)
  expect((await headOf(owner, path)).headers.get('Upload-Offset')).toBe('60000')
  expect((await sendTusChunk(owner, path, 60_000, bytes.slice(60_000))).status).toBe(204)
  expect(await quotaItemsOf(memorial.id)).toHaveLength(1)
})

test('an upload without a chunk for a day is removed whole; each chunk renews it', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = silence(7 * MB)
  const path = await begunUpload(owner, memorial.id, bytes, 'AUDIO')
  await sendTusChunk(owner, path, 0, bytes.slice(0, 6 * MB))
  const [row] = await uploadRows(memorial.id)
  await changeRows(resumableUploads, { id: row!.id }, { expiresAt: Date.now() + 5000 })
  expect((await sendTusChunk(owner, path, 6 * MB, bytes.slice(6 * MB, 6.5 * MB))).status).toBe(204)
  await sweepUploads(testCtx(() => Date.now() + DAY_MS - MINUTE_MS))
  expect(await uploadRows(memorial.id)).toHaveLength(1)
  await changeRows(resumableUploads, { id: row!.id }, { expiresAt: Date.now() })
  const late = await sendTusChunk(owner, path, 6.5 * MB, bytes.slice(6.5 * MB))
  expect([late.status, (await late.json<{ message: string }>()).message]).toEqual([
    410,
    serverMessages.media.uploadExpired,
  ])
  await sweepUploads(testCtx(() => Date.now() + DAY_MS))
  expect([await uploadRows(memorial.id), await quotaItemsOf(memorial.id)]).toEqual([[], []])
  expect(await storedOf(row!.id)).toEqual([])
})
