import { env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { accessForSender, findMemorial } from '#worker/access/memorial-access.ts'
import { deleteUpload, itemOf, type UploadRow } from '#worker/features/media/finish-resumable.ts'
import { appendUpload } from '#worker/features/media/resumable.ts'
import { reserveQuota } from '#worker/features/quota/quota.ts'
import { createCtx } from '#worker/platform/ctx.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'
import { resumableUploads } from '#worker/schema/media.table.ts'
import { memorialOf, testCtx } from '../../../../test/worker/harness.ts'
import { rowsOf } from '../../../../test/worker/rows.ts'
import { begunUpload, endUpload, sendTusChunk, storedOf } from '../../../../test/worker/tus.ts'
import { quotaItemsOf, silence } from '../../../../test/worker/uploads.ts'

const MB = 1024 * 1024

/** A namespace that returns only this stub, with another method. */
function replaceMethod<T extends object>(namespace: T, stub: object, method: string, other: unknown): T {
  const changed = new Proxy(stub, {
    get: (_, name) => (name === method ? other : Reflect.get(stub, name)),
  })
  return new Proxy(namespace, { get: () => () => changed })
}

/**
 * Appends a chunk as a request that has read the upload's row already, and does its work after the answer, too. `onStored`
 * runs once the chunk is stored.
 */
async function appendLate(row: UploadRow, bytes: Uint8Array, offset: number, onStored = async () => {}) {
  const after: Promise<unknown>[] = []
  const ctx = createCtx({ env, waitUntil: (work) => after.push(work) })
  const store = env.UPLOADS.getByName(row.id)
  const fetchThen: typeof store.fetch = async (...given) => {
    const answer = await store.fetch(...given)
    await onStored()
    return answer
  }
  const UPLOADS = replaceMethod(env.UPLOADS, store, 'fetch', fetchThen)
  const request = new Request('https://nhaka.test/', {
    method: 'PATCH',
    body: bytes,
    headers: { 'Content-Type': 'application/offset+octet-stream', 'Upload-Offset': String(offset) },
  })
  const credentials = { contributorHeader: null, cookies: {} }
  const late = { ...ctx, env: { ...ctx.env, UPLOADS }, request, credentials, ip: '10.0.0.1', user: null }
  const found = await findMemorial(ctx, row.memorialId)
  try {
    return await appendUpload(late, accessForSender(found!, null), row)
  } finally {
    await Promise.all(after)
  }
}

test.each([
  ['first', 'before it arrives', serverMessages.media.uploadNotFound],
  ['second', 'before it arrives', serverMessages.media.uploadMisplaced],
  ['first', 'once it is stored', serverMessages.media.uploadNotFound],
  ['second', 'once it is stored', null],
])('the %s chunk of an upload that is deleted %s leaves nothing', async (which, when, refusal) => {
  const { owner, memorial } = await memorialOf()
  const path = await begunUpload(owner, memorial.id, silence(14 * MB), 'AUDIO')
  const [row] = await rowsOf(resumableUploads, { memorialId: memorial.id })
  const bytes = silence(6 * MB)
  const offset = which === 'first' ? 0 : bytes.byteLength
  if (offset > 0) await sendTusChunk(owner, path, 0, bytes)
  const end = async () => expect((await endUpload(owner, path)).status).toBe(204)
  if (when === 'before it arrives') await end()
  const appended = appendLate(row!, bytes, offset, when === 'once it is stored' ? end : undefined)
  if (refusal === null) await appended
  else await expect(appended).rejects.toThrow(refusal)
  expect([await storedOf(row!.id), await quotaItemsOf(memorial.id)]).toEqual([[], []])
})

test('a chunk that reserves while its upload is being deleted keeps no place', async () => {
  const { owner, memorial } = await memorialOf()
  await begunUpload(owner, memorial.id, silence(MB), 'AUDIO')
  const [row] = await rowsOf(resumableUploads, { memorialId: memorial.id })
  const item = itemOf(row!, accessForSender((await findMemorial(testCtx(), memorial.id))!, null))
  const quota = env.QUOTA.getByName(memorial.id)
  const release = async (id: string) => {
    await quota.release(id)
    await reserveQuota(testCtx(), memorial.id, item, { lease: 'resumable' })
  }
  const QUOTA = replaceMethod(env.QUOTA, quota, 'release', release)
  const ctx = testCtx()
  await deleteUpload({ ...ctx, env: { ...ctx.env, QUOTA } }, row!)
  expect(await quotaItemsOf(memorial.id)).toEqual([])
})
