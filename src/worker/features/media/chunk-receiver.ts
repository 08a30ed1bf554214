import { Buffer } from 'node:buffer'
import { PART_BYTES } from '#shared/limits.ts'
import { SNIFF_BYTES, type Sniffed } from '#shared/sniff.ts'
import { FileIntake, isStrippedWhileStreaming, type IntakeState } from '#worker/media-formats/file-intake.ts'
import { ByteReader } from '#worker/platform/byte-reader.ts'
import { joined } from '#worker/platform/bytes.ts'
import { writeWithDeadline } from '#worker/platform/objects.ts'

/** Bytes too few for a part are written to SQLite in rows of about this size: a crash loses no more than one row. */
const ROW_BYTES = 256 * 1024
/** A sender that sends nothing for so long has gone away. */
const SILENCE_MAX_MS = 30_000

/** Where the bytes of one upload go, and how many there will be. */
export type UploadPlan = { objectKey: string; length: number }
/**
 * Where the bytes of a file of this type are gathered: at its own key, or, where tags are still to be taken out of it
 * once it is whole, below it.
 */
export function gatherKey({ objectKey }: UploadPlan, sniffed: Sniffed): string {
  return isStrippedWhileStreaming(sniffed.mimeType) ? objectKey : `${objectKey}/raw`
}

/** What is kept of an upload between its requests, besides held bytes and finished parts. */
export type UploadState = {
  /** Bytes of the file that are safe: the tus offset. */
  offset: number
  /** Bytes that are in finished parts. */
  inParts: number
  r2UploadId: string | null
  intake: IntakeState
  isAssembled: boolean
}
/** Writes what is kept of an upload; part of the transaction around it. */
export function saveState(sql: SqlStorage, state: UploadState): void {
  sql.exec('INSERT OR REPLACE INTO upload (id, state) VALUES (1, ?)', JSON.stringify(state))
}

/**
 * Receives one chunk of an upload. Where it can fill a part of the R2 upload, bytes go there as they arrive; the rest is held
 * in SQLite. It keeps one read and one row in memory, whatever the size of the chunk.
 */
export class ChunkReceiver {
  readonly #storage: DurableObjectStorage
  readonly #bucket: R2Bucket
  readonly #plan: UploadPlan
  readonly #reader: ByteReader
  readonly #intake: FileIntake
  #state: UploadState
  /** Bytes of the file that have come, safe or not. */
  #arrived: number
  /** Bytes that this chunk has announced and that have not arrived. */
  #promised: number
  #heldBytes: number

  constructor(
    storage: DurableObjectStorage,
    bucket: R2Bucket,
    plan: UploadPlan,
    state: UploadState,
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
    this.#promised = announced ?? 0
    this.#heldBytes = state.offset - state.inParts - this.#intake.pendingBytes
  }

  /** Reads until the chunk ends or its connection breaks. Returns the offset: bytes that are safe. */
  async run(): Promise<number> {
    try {
      for (;;) {
        const room = Math.min(PART_BYTES, this.#plan.length - this.#state.inParts)
        if (room === 0) break
        const canFill = this.#willHave >= room + (this.#isLastPart(room) ? 0 : SNIFF_BYTES)
        const goesOn = canFill ? await this.#fillPart(room) : await this.#hold()
        if (!goesOn) break
      }
    } finally {
      this.giveUp()
    }
    return this.#state.offset
  }

  /** Stops reading the chunk; what has arrived is kept. */
  giveUp(): void {
    this.#reader.giveUp()
  }

  get #willHave(): number {
    return this.#heldBytes + this.#intake.pendingBytes + this.#promised
  }

  #isLastPart(room: number): boolean {
    return this.#state.inParts + room === this.#plan.length
  }

  /** The next bytes as they are stored, or null when the chunk has ended or its connection broke. */
  async #next(): Promise<Uint8Array | null> {
    const read = await this.#reader.read().catch(() => null)
    if (!read) return null
    const bytes = read.subarray(0, this.#plan.length - this.#arrived)
    this.#arrived += bytes.byteLength
    this.#promised = Math.max(0, this.#promised - bytes.byteLength)
    return this.#intake.pass(bytes, this.#arrived === this.#plan.length)
  }

  /** Holds bytes until they fill a row or the chunk ends. Returns false at the end of the chunk. */
  async #hold(): Promise<boolean> {
    const row: Uint8Array[] = []
    let size = 0
    let hasEnded = false
    while (!hasEnded && size < ROW_BYTES && !this.#isComplete) {
      const bytes = await this.#next()
      if (bytes) row.push(bytes)
      size += bytes?.byteLength ?? 0
      hasEnded = bytes === null
    }
    this.#save(() => this.#holdRow(Buffer.concat(row)))
    return !hasEnded
  }

  get #isComplete(): boolean {
    return this.#arrived === this.#plan.length
  }

  /** Sends `room` bytes to R2 as the next part: those held first, then what comes. Returns false when too little came. */
  async #fillPart(room: number): Promise<boolean> {
    const first = await this.#untilKnown()
    if (first === null) return false
    const number = this.#partCount + 1
    const upload = await this.#openUpload()
    const { readable, writable } = new FixedLengthStream(room)
    const uploaded = writeWithDeadline(upload.uploadPart(number, readable))
    // Looked at below; until then its failure shows at the writer as well.
    uploaded.catch(() => null)
    const writer = writable.getWriter()
    const over = await this.#writePart(writer, room, first)
    if (over === null) return false
    const { etag } = await uploaded
    this.#save(() => {
      this.#storage.sql.exec('INSERT INTO parts (number, etag) VALUES (?, ?)', number, etag)
      this.#storage.sql.exec('DELETE FROM held')
      this.#heldBytes = 0
      this.#state = { ...this.#state, inParts: this.#state.inParts + room }
      this.#holdRow(over)
    })
    return true
  }

  /** Reads until the leading bytes have told the type of the file. Returns the bytes so far; null when the chunk ended before. */
  async #untilKnown(): Promise<Uint8Array | null> {
    let bytes: Uint8Array = new Uint8Array(0)
    while (!this.#intake.sniffed) {
      const next = await this.#next()
      if (next === null) return null
      bytes = joined(bytes, next)
    }
    return bytes
  }

  /**
   * Writes `room` bytes: those held, `first`, then what arrives. Returns what arrived beyond them; null when the connection broke:
   * then the bytes of this part that were not held are lost.
   */
  async #writePart(
    writer: WritableStreamDefaultWriter<Uint8Array>,
    room: number,
    first: Uint8Array,
  ): Promise<Uint8Array | null> {
    const part: { left: number; over: Uint8Array } = { left: room, over: new Uint8Array(0) }
    const give = async (bytes: Uint8Array) => {
      const taken = bytes.subarray(0, part.left)
      part.left -= taken.byteLength
      if (taken.byteLength > 0) await writer.write(taken)
      if (taken.byteLength < bytes.byteLength) part.over = joined(part.over, bytes.subarray(taken.byteLength))
    }
    try {
      for (const held of this.#heldRows()) await give(held)
      await give(first)
      while (part.left > 0) {
        const next = await this.#next()
        if (next === null) {
          await writer.abort()
          return null
        }
        await give(next)
      }
      await writer.close()
      return part.over
    } catch (error) {
      await writer.abort().catch(() => null)
      throw error
    }
  }

  #holdRow(bytes: Uint8Array): void {
    if (bytes.byteLength === 0) return
    this.#storage.sql.exec('INSERT INTO held (bytes) VALUES (?)', bytes)
    this.#heldBytes += bytes.byteLength
  }

  *#heldRows(): Generator<Uint8Array> {
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
    if (!sniffed) throw new Error('bytes are held until their type is known')
    const key = gatherKey(this.#plan, sniffed)
    if (r2UploadId !== null) return this.#bucket.resumeMultipartUpload(key, r2UploadId)
    const httpMetadata = { contentType: sniffed.mimeType }
    const upload = await writeWithDeadline(this.#bucket.createMultipartUpload(key, { httpMetadata }))
    this.#state = { ...this.#state, r2UploadId: upload.uploadId }
    saveState(this.#storage.sql, this.#state)
    return upload
  }

  /** Writes down, together with `change`, that all that has come so far is safe. */
  #save(change: () => void): void {
    this.#storage.transactionSync(() => {
      change()
      this.#state = { ...this.#state, offset: this.#arrived, intake: this.#intake.state }
      saveState(this.#storage.sql, this.#state)
    })
  }
}
