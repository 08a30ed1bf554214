import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { SystemState } from '#shared/admin/admin.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, PART_BYTES } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import {
  drainObjectDeletions,
  sweepOrphanObjects,
  writeRestoreMarker,
  readLeftovers,
  sweepParts,
} from '#worker/features/media/media.jobs.ts'
import { objectDeletions, resumableUploads } from '#worker/schema/media.table.ts'
import { finishAbandonedUploads, sweepUploads } from '#worker/features/media/resumable.jobs.ts'
import { appendChunk, storeOf } from '#worker/features/media/finish-resumable.ts'
import { recordOpenParts, putStream } from '#worker/platform/objects.ts'
import { takeErrorLines } from '../../../../test/worker/runtime/error-lines.ts'
import { fixture } from '../../../../test/worker/fixtures.ts'
import { memorialOf, signedIn, testCtx } from '../../../../test/worker/harness.ts'
import { beginUpload, sendTusChunk, begunUpload } from '../../../../test/worker/tus.ts'
import { mediaRowsOf, objectsOf, quotaItemsOf, silence } from '../../../../test/worker/uploads.ts'
import { changeRows, rowsOf } from '../../../../test/worker/rows.ts'

const after = (ms: number) => testCtx(() => Date.now() + ms)
const sweptOf = async (ctx: Ctx, job: string) =>
  (await readLeftovers(ctx)).sweeps.find((sweep) => sweep.job === job)
const notes = async () => (await env.KV.list({ prefix: 'open-parts/' })).keys

test('parts of a crashed request are aborted after six hours', async () => {
  const upload = await env.MEDIA.createMultipartUpload('m/left/parts')
  await upload.uploadPart(1, new Uint8Array(PART_BYTES))
  await recordOpenParts(env, upload)
  await sweepParts(after(5 * HOUR_MS))
  await upload.uploadPart(2, new Uint8Array(PART_BYTES))
  await sweepParts(after(7 * HOUR_MS))
  await expect(upload.uploadPart(3, new Uint8Array(PART_BYTES))).rejects.toThrow('10024')
  expect(await notes()).toEqual([])
  expect(await sweptOf(testCtx(), 'parts')).toMatchObject({ removed: 1, failed: 0 })
})

test('a completed upload stays although its note was not deleted', async () => {
  const upload = await env.MEDIA.createMultipartUpload('m/whole/parts')
  const part = await upload.uploadPart(1, new Uint8Array(10))
  await recordOpenParts(env, upload)
  await upload.complete([part])
  await sweepParts(after(7 * HOUR_MS))
  expect((await env.MEDIA.head('m/whole/parts'))?.size).toBe(10)
  expect(await notes()).toEqual([])
})

test('a multipart upload has a note only while it runs', async () => {
  const seen: number[] = []
  async function* bytes(end: 'whole' | 'broken') {
    for (let part = 0; part < 3; part++) {
      seen.push((await notes()).length)
      yield new Uint8Array(PART_BYTES)
    }
    if (end === 'broken') throw new Error('gone')
  }
  await putStream(env, 'm/noted/a', bytes('whole'), 'image/jpeg')
  expect([seen, await notes()]).toEqual([[0, 0, 1], []])
  await expect(putStream(env, 'm/noted/b', bytes('broken'), 'image/jpeg')).rejects.toThrow('gone')
  expect(await notes()).toEqual([])
})

test('the sweep does not delete a complete upload before it is a media item', async () => {
  const { owner, memorial } = await memorialOf()
  const bytes = await fixture('video-2s.mp4')
  await beginUpload(owner, memorial.id, { length: bytes.byteLength, type: 'VIDEO' })
  const ctx = testCtx()
  const [row] = await rowsOf(resumableUploads, { memorialId: memorial.id })
  await appendChunk(ctx, row!, { offset: 0, announced: bytes.byteLength }, new Response(bytes).body)
  const key = `m/${memorial.id}/${row!.mediaId}`
  await storeOf(ctx, row!).assemble({ objectKey: key, length: bytes.byteLength })
  await changeRows(resumableUploads, { id: row!.id }, { arrivedAt: Date.now() })
  await writeRestoreMarker(after(HOUR_MS))
  await sweepOrphanObjects(after(2 * HOUR_MS))
  expect(await objectsOf(memorial.id)).toEqual([key])
  await finishAbandonedUploads(after(2 * HOUR_MS))
  expect(await mediaRowsOf(memorial.id)).toMatchObject([{ id: row!.mediaId, type: 'VIDEO' }])
})

test('an upload that cannot be deleted counts as failed and delays no other', async () => {
  await testCtx().db.delete(resumableUploads)
  const { owner, memorial } = await memorialOf()
  const sound = silence(6 * 1024 * 1024)
  for (let at = 0; at < 3; at++) {
    const path = await begunUpload(owner, memorial.id, sound, 'AUDIO')
    await sendTusChunk(owner, path, 0, sound.slice(0, 5_500_000))
  }
  const ctx = after(DAY_MS + MINUTE_MS)
  const [first] = await rowsOf(resumableUploads, { memorialId: memorial.id })
  const uploads = new Proxy(env.UPLOADS, {
    get: (namespace, name) => (id: string) => {
      if (id === first!.id) throw new Error('this one is away')
      return Reflect.apply(Reflect.get(namespace, name) as (id: string) => unknown, namespace, [id])
    },
  })
  await sweepUploads({ ...ctx, env: { ...ctx.env, UPLOADS: uploads } })
  expect(takeErrorLines()).toHaveLength(1)
  expect(await sweptOf(ctx, 'uploads')).toMatchObject({ removed: 2, failed: 1 })
  expect(await quotaItemsOf(memorial.id)).toEqual([first!.mediaId])
  await sweepUploads(ctx)
  expect(await sweptOf(ctx, 'uploads')).toMatchObject({ removed: 1, failed: 0 })
  expect([await quotaItemsOf(memorial.id), await objectsOf(memorial.id)]).toEqual([[], []])
})

test('an upload that never received a byte releases its quota within a day', async () => {
  const { owner, memorial } = await memorialOf()
  await beginUpload(owner, memorial.id, { length: 1000, type: 'IMAGE' })
  expect(await quotaItemsOf(memorial.id)).toHaveLength(1)
  await sweepUploads(after(DAY_MS + MINUTE_MS))
  expect(await quotaItemsOf(memorial.id)).toEqual([])
})

test('the admin console shows pending work, the last sweeps, and late sweeps', async () => {
  const admin = await signedIn({ admin: true })
  const { owner, memorial } = await memorialOf()
  const { db } = testCtx()
  await db.delete(resumableUploads)
  await db.delete(objectDeletions)
  await sweepUploads(testCtx())
  await sweepParts(testCtx())
  await sweepOrphanObjects(testCtx(() => Date.now() - 3 * HOUR_MS))
  await env.KV.delete('sweep:last:deletions')
  await beginUpload(owner, memorial.id, { length: 1000, type: 'IMAGE' })
  await beginUpload(owner, memorial.id, { length: 500, type: 'VIDEO' })
  await changeRows(resumableUploads, { length: 500 }, { expiresAt: 1 })
  const oldestAt = Date.now() - HOUR_MS
  await db.insert(objectDeletions).values([
    { prefix: 'm/a', createdAt: oldestAt },
    { prefix: 'm/b', createdAt: oldestAt + 1 },
    { prefix: 'marks/later', createdAt: Date.now() + DAY_MS },
  ])
  const { body } = await admin.get<SystemState>('/api/admin/system')
  const time = expect.stringMatching(/Z$/u)
  expect(body.leftovers).toEqual({
    sweeps: [
      { job: 'uploads', status: 'ok', lastRunAt: time, removed: 0, failed: 0 },
      { job: 'parts', status: 'ok', lastRunAt: time, removed: 0, failed: 0 },
      { job: 'objects', status: 'late', lastRunAt: time, removed: 0, failed: 0 },
      { job: 'deletions', status: 'never', lastRunAt: null, removed: 0, failed: 0 },
    ],
    uploads: 2,
    reservedBytes: 1500,
    expiredUploads: 1,
    deletions: 2,
    oldestDeletionAt: new Date(oldestAt).toISOString(),
  })
  await drainObjectDeletions(testCtx())
  expect(await sweptOf(testCtx(), 'deletions')).toMatchObject({ status: 'ok', removed: 2, failed: 0 })
  expect((await readLeftovers(testCtx())).deletions).toBe(0)
})
