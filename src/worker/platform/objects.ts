import { PART_BYTES, DAY_MS, HOUR_MS } from '#shared/limits.ts'
import type { Env } from '#worker/platform/env.ts'
import { withDeadline } from '#worker/platform/deadlines.ts'

/** A write that exceeds this hangs (on a full disk, for example). */
const WRITE_TIMEOUT_MS = 60_000

export type StoredObject = { size: number; parts: number }

/**
 * Writes a stream to R2 as it arrives, with one part in memory: a single put if it fits, else a multipart upload with equal
 * parts. Returns the bytes and parts written. When the stream or R2 fails, removes what it wrote and rethrows.
 */
export async function putStream(
  env: Pick<Env, 'MEDIA' | 'KV'>,
  key: string,
  bytes: AsyncIterable<Uint8Array>,
  contentType: string,
): Promise<StoredObject> {
  const bucket = env.MEDIA
  const httpMetadata = { contentType }
  const pending = new PartBuffer()
  let upload: R2MultipartUpload | null = null
  let clearNote = async () => {}
  const parts: R2UploadedPart[] = []
  let size = 0
  try {
    for await (const chunk of bytes) {
      size += chunk.byteLength
      pending.add(chunk)
      while (pending.size > PART_BYTES) {
        if (!upload) {
          upload = await writeWithDeadline(bucket.createMultipartUpload(key, { httpMetadata }))
          clearNote = await recordOpenParts(env, upload)
        }
        parts.push(await writeWithDeadline(upload.uploadPart(parts.length + 1, pending.take(PART_BYTES))))
      }
    }
    if (!upload) {
      await writeWithDeadline(bucket.put(key, pending.take(pending.size), { httpMetadata }))
      return { size, parts: 1 }
    }
    parts.push(await writeWithDeadline(upload.uploadPart(parts.length + 1, pending.take(pending.size))))
    await writeWithDeadline(upload.complete(parts))
    await clearNote()
    return { size, parts: parts.length }
  } catch (error) {
    // If the abort fails, too, the note stays and the original error is thrown.
    await upload?.abort().then(clearNote, () => null)
    throw error
  }
}

/** Deletes the object `prefix` and all objects under `prefix/`. Safe to repeat. */
export async function deletePrefix(bucket: R2Bucket, prefix: string): Promise<void> {
  await bucket.delete(prefix)
  for (;;) {
    const { objects, truncated } = await bucket.list({ prefix: `${prefix}/`, limit: 1000 })
    if (objects.length > 0) await bucket.delete(objects.map((object) => object.key))
    if (!truncated) return
  }
}

/** Returns the result of a write to R2; throws when it takes longer than a minute. */
export function writeWithDeadline<T>(write: Promise<T>): Promise<T> {
  return withDeadline(write, WRITE_TIMEOUT_MS, 'storage')
}

/** Collects chunks into parts. Small files are copied once; larger ones reuse one part-sized buffer. */
class PartBuffer {
  size = 0
  #chunks: Uint8Array[] = []
  #part: Uint8Array | null = null

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.size += chunk.byteLength
  }

  /** The first `length` bytes. A whole part is valid until the next one is taken. */
  take(length: number): Uint8Array {
    const taken = length === PART_BYTES ? (this.#part ??= new Uint8Array(PART_BYTES)) : new Uint8Array(length)
    let at = 0
    let used = 0
    for (const chunk of this.#chunks) {
      const fits = chunk.subarray(0, length - at)
      taken.set(fits, at)
      at += fits.byteLength
      if (fits.byteLength < chunk.byteLength) {
        this.#chunks[used] = chunk.subarray(fits.byteLength)
        break
      }
      used++
    }
    this.#chunks.splice(0, used)
    this.size -= length
    return taken
  }
}

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
