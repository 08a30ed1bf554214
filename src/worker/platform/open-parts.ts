import { DAY_MS, HOUR_MS } from '#shared/limits.ts'
import type { Env } from '#worker/platform/env.ts'

/** R2 cannot be asked which multipart uploads are open, and keeps the parts of forgotten ones for 7 days: so they are noted. */
const PREFIX = 'open-parts/'
/** No request sends for so long. */
const LEFT_AFTER_MS = 6 * HOUR_MS
/** R2 has removed them by itself. */
const NOTE_EXPIRES_SEC = (8 * DAY_MS) / 1000
const ABORTED_A_RUN = 200

type Note = { key: string; uploadId: string; at: number }

/** Notes that an upload was begun. Returns how its note is taken back. A note that cannot be written holds nobody up. */
export async function recordOpenParts(
  { KV }: Pick<Env, 'KV'>,
  { key, uploadId }: R2MultipartUpload,
): Promise<() => Promise<void>> {
  const name = `${PREFIX}${key}/${uploadId.slice(-40)}`
  const metadata: Note = { key, uploadId, at: Date.now() }
  await KV.put(name, '', { metadata, expirationTtl: NOTE_EXPIRES_SEC }).catch(() => null)
  return async () => {
    await KV.delete(name).catch(() => null)
  }
}

/** Aborts uploads whose request has died. Returns how many, and how many could not be aborted now. Bounded a run. */
export async function abortAbandonedParts(
  { KV, MEDIA }: Pick<Env, 'KV' | 'MEDIA'>,
  now: number,
): Promise<{ removed: number; failed: number }> {
  const { keys } = await KV.list<Note>({ prefix: PREFIX, limit: 1000 })
  const left = keys.filter(({ metadata }) => metadata && metadata.at <= now - LEFT_AFTER_MS)
  const done = { removed: 0, failed: 0 }
  for (const { name, metadata } of left.slice(0, ABORTED_A_RUN)) {
    if (!metadata) continue
    try {
      await abortParts(MEDIA, metadata.key, metadata.uploadId)
      await KV.delete(name)
      done.removed++
    } catch {
      // Its note stays for the next run, and the run says how many.
      done.failed++
    }
  }
  return done
}

/** Aborts a multipart upload; nothing happens to one that was completed or aborted before. */
export async function abortParts(bucket: R2Bucket, key: string, uploadId: string): Promise<void> {
  try {
    await bucket.resumeMultipartUpload(key, uploadId).abort()
  } catch (error) {
    // "The specified multipart upload does not exist. (10024)" https://developers.cloudflare.com/r2/api/error-codes/
    if (!String(error).includes('10024')) throw error
  }
}
