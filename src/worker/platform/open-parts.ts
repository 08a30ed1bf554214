import { DAY_MS, HOUR_MS } from '#shared/limits.ts'
import type { Env } from '#worker/platform/env.ts'

/** R2 can't list open multipart uploads and stores their parts for 7 days, so KV has a note for each. */
const PREFIX = 'open-parts/'
/** Longer than any request runs. */
const ABANDONED_AFTER_MS = 6 * HOUR_MS
/** By then R2 has removed the parts itself. */
const NOTE_EXPIRES_SEC = (8 * DAY_MS) / 1000
const MAX_PER_RUN = 200

type Note = { key: string; uploadId: string; at: number }

/** Records an open upload in KV. Returns a function that deletes the note. Ignores failed KV writes. */
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

/** Aborts uploads whose request died. Returns how many it aborted and how many failed. Bounded per run. */
export async function abortAbandonedParts(
  { KV, MEDIA }: Pick<Env, 'KV' | 'MEDIA'>,
  now: number,
): Promise<{ removed: number; failed: number }> {
  const { keys } = await KV.list<Note>({ prefix: PREFIX, limit: 1000 })
  const abandoned = keys.filter(({ metadata }) => metadata && metadata.at <= now - ABANDONED_AFTER_MS)
  const result = { removed: 0, failed: 0 }
  for (const { name, metadata } of abandoned.slice(0, MAX_PER_RUN)) {
    if (!metadata) continue
    try {
      await abortParts(MEDIA, metadata.key, metadata.uploadId)
      await KV.delete(name)
      result.removed++
    } catch {
      // The note stays for the next run.
      result.failed++
    }
  }
  return result
}

/** Aborts a multipart upload. Does nothing if it was completed or aborted before. */
export async function abortParts(bucket: R2Bucket, key: string, uploadId: string): Promise<void> {
  try {
    await bucket.resumeMultipartUpload(key, uploadId).abort()
  } catch (error) {
    // "The specified multipart upload does not exist. (10024)" https://developers.cloudflare.com/r2/api/error-codes/
    if (!String(error).includes('10024')) throw error
  }
}
