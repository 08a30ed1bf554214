import { DurableObject } from 'cloudflare:workers'
import type { Sniffed } from '#shared/media/uploads.ts'
import type { Env } from '#worker/platform/env.ts'
import { UnrecognizedFileError, EMPTY_INTAKE } from '#worker/media-formats/file-intake.ts'
import {
  ChunkReceiver,
  collectKey,
  saveState,
  type UploadPlan,
  type ChunkState,
} from '#worker/features/media/chunk-receiver.ts'
import { writeWithDeadline, abortParts } from '#worker/platform/objects.ts'

export type Appended =
  | { kind: 'taken'; offset: number }
  /** The chunk doesn't start at the current offset. */
  | { kind: 'misplaced'; offset: number }
  /** The chunk is longer than the missing bytes. */
  | { kind: 'too_much' }
  | { kind: 'foreign' }
/** Header with the {@link Chunk} of a request to {@link UploadStore.fetch}. */
export const CHUNK_HEADER = 'Nhaka-Piece'
/** `announced`: length of the chunk in bytes, null if unknown. */
export type Chunk = { plan: UploadPlan; offset: number; announced: number | null }
/** A complete object, at the key of the plan or below it ({@link collectKey}). */
export type Assembled = { key: string; size: number; sniffed: Sniffed }

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS upload (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS parts (number INTEGER PRIMARY KEY, etag TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS held (id INTEGER PRIMARY KEY AUTOINCREMENT, bytes BLOB NOT NULL)`
const INITIAL_STATE: ChunkState = {
  offset: 0,
  inParts: 0,
  r2UploadId: null,
  intake: EMPTY_INTAKE,
  isAssembled: false,
}

/**
 * Receives one resumable upload. Chunks of any size become equal parts of an R2 multipart upload; bytes that don't fill a
 * part are buffered in SQLite, so that every acknowledged byte survives a crash. `assemble` creates the object; `forget` or
 * `discard` ends the upload. The caller checks permissions and maintains the row in `resumable_uploads`. Receives one chunk
 * at a time: a new one aborts the previous one, because its sender has retried.
 */
export class UploadStore extends DurableObject<Env> {
  #receiving: ChunkReceiver | null = null
  /** Settles when the running call and all queued calls have ended. */
  #queue: Promise<unknown> = Promise.resolve()
  #pendingCalls = 0

  /** The tus offset. Aborts a chunk that is still arriving, so that the sender can resume from the returned offset. */
  async offset(): Promise<number> {
    return this.#runExclusively(() => this.#state.offset)
  }

  /** Returns {@link Appended} as JSON. Not RPC, because a stream as argument arrives in small, slow reads. */
  override async fetch(request: Request): Promise<Response> {
    const chunk = JSON.parse(request.headers.get(CHUNK_HEADER) ?? 'null') as Chunk
    const body = request.body ?? new Response('').body
    if (!body) throw new Error('an empty body must be a stream, too')
    return Response.json(await this.#append(chunk, body))
  }

  /** Bytes that arrived before a connection broke stay. */
  async #append({ plan, offset, announced }: Chunk, body: ReadableStream<Uint8Array>): Promise<Appended> {
    return this.#runExclusively(async () => {
      const state = this.#state
      // A later call has replaced this chunk.
      if (offset !== state.offset || this.#pendingCalls > 0)
        return { kind: 'misplaced', offset: state.offset }
      if (offset + (announced ?? 0) > plan.length) return { kind: 'too_much' }
      this.#receiving = new ChunkReceiver(this.ctx.storage, this.env.MEDIA, plan, state, body, announced)
      try {
        return { kind: 'taken', offset: await this.#receiving.run() }
      } catch (error) {
        if (error instanceof UnrecognizedFileError) return { kind: 'foreign' }
        throw error
      } finally {
        this.#receiving = null
      }
    })
  }

  /** Completes the object from its parts. Throws while bytes are missing. Safe to repeat. */
  async assemble(plan: UploadPlan): Promise<Assembled> {
    return this.#runExclusively(async () => this.#assemble(plan))
  }

  async #assemble(plan: UploadPlan): Promise<Assembled> {
    const state = this.#state
    const { sniffed } = state.intake
    if (state.inParts !== plan.length || !sniffed || state.r2UploadId === null) {
      throw new Error(`${plan.length - state.inParts} bytes are missing`)
    }
    if (!state.isAssembled) {
      await this.#complete(collectKey(plan, sniffed), plan.length, state.r2UploadId)
      saveState(this.ctx.storage.sql, { ...state, isAssembled: true })
    }
    return { key: collectKey(plan, sniffed), size: plan.length, sniffed }
  }

  /** Deletes the state of the upload but not its object. */
  async forget(): Promise<void> {
    await this.ctx.storage.deleteAll()
  }

  /** Deletes the upload and everything it stored. Safe to repeat. */
  async discard(plan: UploadPlan): Promise<void> {
    return this.#runExclusively(async () => {
      const { r2UploadId, isAssembled, intake } = this.#state
      if (r2UploadId !== null && intake.sniffed) {
        const key = collectKey(plan, intake.sniffed)
        if (!isAssembled) await abortParts(this.env.MEDIA, key, r2UploadId)
        await this.env.MEDIA.delete(key)
      }
      await this.ctx.storage.deleteAll()
    })
  }

  async #complete(objectKey: string, length: number, r2UploadId: string): Promise<void> {
    const parts = this.ctx.storage.sql
      .exec<{ partNumber: number; etag: string }>(
        'SELECT number AS partNumber, etag FROM parts ORDER BY number',
      )
      .toArray()
    try {
      await writeWithDeadline(this.env.MEDIA.resumeMultipartUpload(objectKey, r2UploadId).complete(parts))
    } catch (error) {
      // It may have been completed before, with a lost response.
      const made = await this.env.MEDIA.head(objectKey)
      if (made?.size !== length) throw error
    }
  }

  /** Aborts the arriving chunk, waits for earlier calls, then runs `work` alone. */
  async #runExclusively<T>(work: () => T | Promise<T>): Promise<T> {
    this.#receiving?.stop()
    this.#pendingCalls++
    const result = this.#queue.then(() => {
      this.#pendingCalls--
      return work()
    })
    this.#queue = result.catch(() => null)
    return result
  }

  /** Read from storage each time, because a failure could leave a different state in memory. */
  get #state(): ChunkState {
    const { sql } = this.ctx.storage
    sql.exec(SCHEMA)
    const [row] = sql.exec<{ state: string }>('SELECT state FROM upload').toArray()
    return row ? (JSON.parse(row.state) as ChunkState) : INITIAL_STATE
  }
}
