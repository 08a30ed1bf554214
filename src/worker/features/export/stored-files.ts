import type { Ctx } from '#worker/platform/ctx.ts'
import type { ArchiveFile } from '#worker/features/export/archive.ts'
import { ByteReader } from '#worker/platform/bytes.ts'

/** A read from storage fails after this long without a byte. */
const READ_TIMEOUT_MS = 60_000
/** R2 lists at most this many keys per call: https://developers.cloudflare.com/r2/api/workers/workers-api-reference/ */
const KEYS_PER_CALL = 1000

/** Sizes of a memorial's originals in R2, by key; variants are stored below. At most two or three calls. */
export async function storedSizes(ctx: Ctx, memorialId: string): Promise<Map<string, number>> {
  const sizes = new Map<string, number>()
  let cursor: string | undefined
  do {
    const listed: R2Objects = await ctx.env.MEDIA.list({
      prefix: `m/${memorialId}/`,
      delimiter: '/',
      limit: KEYS_PER_CALL,
      ...(cursor === undefined ? {} : { cursor }),
    })
    for (const { key, size } of listed.objects) sizes.set(key, size)
    cursor = listed.truncated ? listed.cursor : undefined
  } while (cursor !== undefined)
  return sizes
}

/** Reads files one after another, one chunk at a time. `cancel` cancels the open file. */
export class StoredFiles {
  readonly #ctx: Ctx
  #open: ByteReader | null = null

  constructor(ctx: Ctx) {
    this.#ctx = ctx
  }

  /** Throws if the file is missing, has another size than announced, or can't be read to its end. */
  async *bytesOf({ key, size }: Pick<ArchiveFile, 'key' | 'size'>): AsyncGenerator<Uint8Array> {
    const object = await this.#ctx.env.MEDIA.get(key)
    if (!object) throw new Error(`a file disappeared during an export: ${key}`)
    this.#open = new ByteReader(object.body, READ_TIMEOUT_MS)
    let read = 0
    for (;;) {
      const chunk = await this.#open.read()
      if (chunk === null) break
      read += chunk.byteLength
      yield chunk
    }
    this.#open = null
    if (read !== size) throw new Error(`expected ${size} bytes but read ${read}: ${key}`)
  }

  cancel(): void {
    this.#open?.cancel()
    this.#open = null
  }
}
