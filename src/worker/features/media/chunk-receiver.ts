import { Buffer } from 'node:buffer'
import { PART_BYTES } from '#shared/limits.ts'
import { SNIFF_BYTES, type Sniffed } from '#shared/media/uploads.ts'
import { FileIntake, isStrippedWhileStreaming, type IntakeState } from '#worker/media-formats/file-intake.ts'
import { ByteReader, concatBytes } from '#worker/platform/bytes.ts'
import { writeWithDeadline } from '#worker/platform/objects.ts'

/** Bytes that don't fill a part are stored in SQLite in rows of about this size, so that a crash loses at most one row. */
const ROW_BYTES = 256 * 1024
/** Idle timeout of a sender. */
const SILENCE_MAX_MS = 30_000

/** The target object of an upload and its total length in bytes. */
export type UploadPlan = { objectKey: string; length: number }
/** The key that collects the bytes: the final one, or one below it if the metadata is stripped at the end. */
export function collectKey({ objectKey }: UploadPlan, sniffed: Sniffed): string {
  return isStrippedWhileStreaming(sniffed.mimeType) ? objectKey : `${objectKey}/raw`
}

/** The stored state of an upload between its requests, besides buffered bytes and finished parts. */
export type ChunkState = {
  /** Number of persisted bytes: the tus offset. */
  offset: number
  /** Number of bytes in finished parts. */
  inParts: number
  r2UploadId: string | null
  intake: IntakeState
  isAssembled: boolean
}
/** Writes the state of an upload, as part of the enclosing transaction. */
export function saveState(sql: SqlStorage, state: ChunkState): void {
  sql.exec('INSERT OR REPLACE INTO upload (id, state) VALUES (1, ?)', JSON.stringify(state))
}

/** Streams what fills a part to R2 and buffers the rest in SQLite. Keeps one read and one row in memory. */
export class ChunkReceiver {
  readonly #storage: DurableObjectStorage
  readonly #bucket: R2Bucket
  readonly #plan: UploadPlan
  readonly #reader: ByteReader
  readonly #intake: FileIntake
  #state: ChunkState
  /** Number of received bytes, persisted or not. */
  #arrived: number
  /** Bytes of this chunk's `Content-Length` that have not arrived. */
  #outstanding: number
  #bufferedBytes: number

  constructor(
    storage: DurableObjectStorage,
    bucket: R2Bucket,
    plan: UploadPlan,
    state: ChunkState,
    body: ReadableStream<Uint8Array>,
    announced: number | null,
  ) {
    this.#storage = storage
    this.#bucket = bucket
    this.#plan = plan
    this.#reader = new ByteReader(body, SILENCE_MAX_MS)
    this.#intake = new FileIntake(state.intake)
    this.#state = state
    this.#arrived = state.offset
    this.#outstanding = announced ?? 0
    this.#bufferedBytes = state.offset - state.inParts - this.#intake.pendingBytes
  }

  /** Reads until the chunk ends or its connection breaks. Returns the new offset. */
  async run(): Promise<number> {
    try {
      for (;;) {
        const partBytes = Math.min(PART_BYTES, this.#plan.length - this.#state.inParts)
        if (partBytes === 0) break
        const canFill = this.#expectedBytes >= partBytes + (this.#isLastPart(partBytes) ? 0 : SNIFF_BYTES)
        const continues = canFill ? await this.#fillPart(partBytes) : await this.#buffer()
        if (!continues) break
      }
    } finally {
      this.stop()
    }
    return this.#state.offset
  }

  /** Stops reading the chunk; persisted bytes stay. */
  stop(): void {
    this.#reader.cancel()
  }

  get #expectedBytes(): number {
    return this.#bufferedBytes + this.#intake.pendingBytes + this.#outstanding
  }

  #isLastPart(partBytes: number): boolean {
    return this.#state.inParts + partBytes === this.#plan.length
  }

  /** The next bytes in their stored form, or null when the chunk has ended or its connection broke. */
  async #next(): Promise<Uint8Array | null> {
    const read = await this.#reader.read().catch(() => null)
    if (!read) return null
    const bytes = read.subarray(0, this.#plan.length - this.#arrived)
    this.#arrived += bytes.byteLength
    this.#outstanding = Math.max(0, this.#outstanding - bytes.byteLength)
    return this.#intake.pass(bytes, this.#arrived === this.#plan.length)
  }

  /** Buffers bytes until they fill a row or the chunk ends. Returns false at the end of the chunk. */
  async #buffer(): Promise<boolean> {
    const row: Uint8Array[] = []
    let size = 0
    let hasEnded = false
    while (!hasEnded && size < ROW_BYTES && !this.#isComplete) {
      const bytes = await this.#next()
      if (bytes) row.push(bytes)
      size += bytes?.byteLength ?? 0
      hasEnded = bytes === null
    }
    this.#save(() => this.#bufferRow(Buffer.concat(row)))
    return !hasEnded
  }

  get #isComplete(): boolean {
    return this.#arrived === this.#plan.length
  }

  /** Sends `partBytes` bytes to R2 as the next part: buffered bytes first, then new ones. Returns false if too few arrived. */
  async #fillPart(partBytes: number): Promise<boolean> {
    const first = await this.#readUntilSniffed()
    if (first === null) return false
    const number = this.#partCount + 1
    const upload = await this.#openUpload()
    const { readable, writable } = new FixedLengthStream(partBytes)
    const uploaded = writeWithDeadline(upload.uploadPart(number, readable))
    // Awaited below; until then the writer reports its failure as well.
    uploaded.catch(() => null)
    const writer = writable.getWriter()
    const over = await this.#writePart(writer, partBytes, first)
    if (over === null) return false
    const { etag } = await uploaded
    this.#save(() => {
      this.#storage.sql.exec('INSERT INTO parts (number, etag) VALUES (?, ?)', number, etag)
      this.#storage.sql.exec('DELETE FROM held')
      this.#bufferedBytes = 0
      this.#state = { ...this.#state, inParts: this.#state.inParts + partBytes }
      this.#bufferRow(over)
    })
    return true
  }

  /** Reads until the type of the file is known. Returns the bytes so far; null when the chunk ended before. */
  async #readUntilSniffed(): Promise<Uint8Array | null> {
    let bytes: Uint8Array = new Uint8Array(0)
    while (!this.#intake.sniffed) {
      const next = await this.#next()
      if (next === null) return null
      bytes = concatBytes(bytes, next)
    }
    return bytes
  }

  /** Returns the excess bytes; null when the connection broke, which loses what was not buffered. */
  async #writePart(
    writer: WritableStreamDefaultWriter<Uint8Array>,
    partBytes: number,
    first: Uint8Array,
  ): Promise<Uint8Array | null> {
    const part: { left: number; over: Uint8Array } = { left: partBytes, over: new Uint8Array(0) }
    const write = async (bytes: Uint8Array) => {
      const taken = bytes.subarray(0, part.left)
      part.left -= taken.byteLength
      if (taken.byteLength > 0) await writer.write(taken)
      if (taken.byteLength < bytes.byteLength)
        part.over = concatBytes(part.over, bytes.subarray(taken.byteLength))
    }
    try {
      for (const row of this.#bufferedRows()) await write(row)
      await write(first)
      while (part.left > 0) {
        const next = await this.#next()
        if (next === null) {
          await writer.abort()
          return null
        }
        await write(next)
      }
      await writer.close()
      return part.over
    } catch (error) {
      await writer.abort().catch(() => null)
      throw error
    }
  }

  #bufferRow(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return
    this.#storage.sql.exec('INSERT INTO held (bytes) VALUES (?)', bytes)
    this.#bufferedBytes += bytes.byteLength
  }

  *#bufferedRows(): Generator<Uint8Array> {
    let after = 0
    for (;;) {
      const [row] = this.#storage.sql
        .exec<{ id: number; bytes: ArrayBuffer }>(
          'SELECT id, bytes FROM held WHERE id > ? ORDER BY id LIMIT 1',
          after,
        )
        .toArray()
      if (!row) return
      after = row.id
      yield new Uint8Array(row.bytes)
    }
  }

  get #partCount(): number {
    return this.#storage.sql.exec<{ count: number }>('SELECT count(*) AS count FROM parts').one().count
  }

  async #openUpload(): Promise<R2MultipartUpload> {
    const { r2UploadId } = this.#state
    const { sniffed } = this.#intake
    if (!sniffed) throw new Error('a part upload needs a known file type')
    const key = collectKey(this.#plan, sniffed)
    if (r2UploadId !== null) return this.#bucket.resumeMultipartUpload(key, r2UploadId)
    const httpMetadata = { contentType: sniffed.mimeType }
    const upload = await writeWithDeadline(this.#bucket.createMultipartUpload(key, { httpMetadata }))
    this.#state = { ...this.#state, r2UploadId: upload.uploadId }
    saveState(this.#storage.sql, this.#state)
    return upload
  }

  /** Persists `change` together with the offset of all bytes received so far. */
  #save(change: () => void): void {
    this.#storage.transactionSync(() => {
      change()
      this.#state = { ...this.#state, offset: this.#arrived, intake: this.#intake.state }
      saveState(this.#storage.sql, this.#state)
    })
  }
}
