import { Buffer } from 'node:buffer'
import { PART_BYTES } from '#shared/limits.ts'
import { SNIFF_BYTES } from '#shared/sniff.ts'
import { FileIntake } from '#worker/media-formats/file-intake.ts'
import {
  gatherKey,
  saveState,
  type UploadPlan,
  type UploadState,
} from '#worker/features/media/upload-state.ts'
import { ByteReader } from '#worker/platform/byte-reader.ts'
import { joined } from '#worker/platform/bytes.ts'
import { writeInTime } from '#worker/platform/objects.ts'

/** Bytes that are held are written down in rows of about this size; a crash takes no more than this of a slow piece. */
const ROW_BYTES = 256 * 1024
/** A sender from whom nothing comes for so long has gone. */
const SILENCE_MAX_MS = 30_000

/**
 * Receives one piece of an upload. Where a part of the R2 upload can be filled, bytes go there as they come; the rest is held in
 * SQLite. Its memory is one chunk and one row, whatever the size of the piece.
 */
export class PieceReceiver {
  readonly #storage: DurableObjectStorage
  readonly #bucket: R2Bucket
  readonly #plan: UploadPlan
  readonly #reader: ByteReader
  readonly #intake: FileIntake
  #state: UploadState
  /** Bytes of the file that have come, safe or not. */
  #arrived: number
  /** Bytes that this piece still promises. */
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

  /** Takes in what comes, until the piece or its line ends. Returns the offset: bytes that are safe. */
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

  /** Takes no more of the piece; what has come is kept. */
  giveUp(): void {
    this.#reader.giveUp()
  }

  get #willHave(): number {
    return this.#heldBytes + this.#intake.pendingBytes + this.#promised
  }

  #isLastPart(room: number): boolean {
    return this.#state.inParts + room === this.#plan.length
  }

  /** The next bytes as they are stored, or null when the piece, or its line, has ended. */
  async #next(): Promise<Uint8Array | null> {
    const read = await this.#reader.read().catch(() => null)
    if (!read) return null
    const chunk = read.subarray(0, this.#plan.length - this.#arrived)
    this.#arrived += chunk.byteLength
    this.#promised = Math.max(0, this.#promised - chunk.byteLength)
    return this.#intake.pass(chunk, this.#arrived === this.#plan.length)
  }

  /** Holds bytes until they fill a row or the piece ends. Returns false at the end of the piece. */
  async #hold(): Promise<boolean> {
    const row: Uint8Array[] = []
    let size = 0
    let hasEnded = false
    while (!hasEnded && size < ROW_BYTES && !this.#isWhole) {
      const chunk = await this.#next()
      if (chunk) row.push(chunk)
      size += chunk?.byteLength ?? 0
      hasEnded = chunk === null
    }
    this.#save(() => this.#holdRow(Buffer.concat(row)))
    return !hasEnded
  }

  get #isWhole(): boolean {
    return this.#arrived === this.#plan.length
  }

  /** Sends `room` bytes to R2 as the next part: those held first, then what comes. Returns false when too little came. */
  async #fillPart(room: number): Promise<boolean> {
    const first = await this.#untilKnown()
    if (first === null) return false
    const number = this.#partCount + 1
    const upload = await this.#openUpload()
    const { readable, writable } = new FixedLengthStream(room)
    const uploaded = writeInTime(upload.uploadPart(number, readable))
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

  /** Reads until the leading bytes have said what the file is. Returns what came out; null when the piece ended before. */
  async #untilKnown(): Promise<Uint8Array | null> {
    let bytes: Uint8Array = new Uint8Array(0)
    while (!this.#intake.sniffed) {
      const chunk = await this.#next()
      if (chunk === null) return null
      bytes = joined(bytes, chunk)
    }
    return bytes
  }

  /**
   * Writes `room` bytes: those held, `first`, then what comes. Returns what came besides; null when the line broke, and
   * then the bytes of this part that were not held are lost with it.
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
        const chunk = await this.#next()
        if (chunk === null) {
          await writer.abort()
          return null
        }
        await give(chunk)
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
    const upload = await writeInTime(this.#bucket.createMultipartUpload(key, { httpMetadata }))
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
