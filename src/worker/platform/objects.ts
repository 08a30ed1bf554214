import { PART_BYTES } from '#shared/limits.ts'
import type { Env } from '#worker/platform/env.ts'
import { withDeadline } from '#worker/platform/deadline.ts'
import { recordOpenParts } from '#worker/platform/open-parts.ts'

/** A write that has not ended by then never will (a full disk under R2 hangs it). */
const WRITE_TIMEOUT_MS = 60_000

export type StoredObject = { size: number; parts: number }

/**
 * Writes a stream to R2 as it arrives, holding one part: one put when it fits, else a multipart upload of equal parts.
 * Returns bytes and parts written. When the stream or R2 fails, nothing stays behind and the failure is thrown on.
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
  let forgetNote = async () => {}
  const parts: R2UploadedPart[] = []
  let size = 0
  try {
    for await (const chunk of bytes) {
      size += chunk.byteLength
      pending.add(chunk)
      while (pending.size > PART_BYTES) {
        if (!upload) {
          upload = await writeWithDeadline(bucket.createMultipartUpload(key, { httpMetadata }))
          forgetNote = await recordOpenParts(env, upload)
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
    await forgetNote()
    return { size, parts: parts.length }
  } catch (error) {
    // The note stays where aborting fails; that is no reason to hide the first failure.
    await upload?.abort().then(forgetNote, () => null)
    throw error
  }
}

/** Removes the object `prefix` and all whose keys begin with `prefix/`. Safe to repeat. */
export async function deletePrefix(bucket: R2Bucket, prefix: string): Promise<void> {
  await bucket.delete(prefix)
  for (;;) {
    const { objects, truncated } = await bucket.list({ prefix: `${prefix}/`, limit: 1000 })
    if (objects.length > 0) await bucket.delete(objects.map((object) => object.key))
    if (!truncated) return
  }
}

/** What a write to R2 gives, or an Error when it takes longer than a minute. */
export function writeWithDeadline<T>(write: Promise<T>): Promise<T> {
  return withDeadline(write, WRITE_TIMEOUT_MS, 'storage')
}

/** Chunks on their way to a part. Small files are joined once; larger ones fill the same part-sized buffer again and again. */
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
