import type { Ctx } from '#worker/platform/ctx.ts'
import type { ArchiveFile } from '#worker/features/export/archive.ts'
import { ByteReader } from '#worker/platform/byte-reader.ts'

/** After so long without a byte our storage is given up. */
const SILENCE_MAX_MS = 60_000
/** Most keys that R2 lists at once: https://developers.cloudflare.com/r2/api/workers/workers-api-reference/ */
const LISTED_AT_ONCE = 1000

/**
 * Bytes of each file of a memorial as it lies in R2, by its key. Originals alone: what was made of them lies below their keys,
 * and is passed over. Two or three calls for the most that a memorial holds.
 */
export async function storedSizes(ctx: Ctx, memorialId: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  let cursor: string | undefined
  do {
    const listed: R2Objects = await ctx.env.MEDIA.list({
      prefix: `m/${memorialId}/`,
      delimiter: '/',
      limit: LISTED_AT_ONCE,
      ...(cursor === undefined ? {} : { cursor }),
    })
    for (const { key, size } of listed.objects) sizes.set(key, size)
    cursor = listed.truncated ? listed.cursor : undefined
  } while (cursor !== undefined)
  return sizes
}

/** Reads files one after another, one chunk at a time. `giveUp` lets go of the one that is open. */
export class StoredFiles {
  readonly #ctx: Ctx
  #open: ByteReader | null = null

  constructor(ctx: Ctx) {
    this.#ctx = ctx
  }

  /** The bytes of one file. Throws where it is not there or not as long as was promised, and when storage breaks off. */
  async *bytesOf({ key, size }: Pick<ArchiveFile, 'key' | 'size'>): AsyncGenerator<Uint8Array> {
    const object = await this.#ctx.env.MEDIA.get(key)
    if (!object) throw new Error(`a file went away during an export: ${key}`)
    this.#open = new ByteReader(object.body, SILENCE_MAX_MS)
    let read = 0
    for (;;) {
      const chunk = await this.#open.read()
      if (chunk === null) break
      read += chunk.byteLength
      yield chunk
    }
    this.#open = null
    if (read !== size) throw new Error(`a file of ${size} bytes gave ${read}: ${key}`)
  }

  giveUp(): void {
    this.#open?.giveUp()
    this.#open = null
  }
}
