import { DurableObject } from 'cloudflare:workers'
import type { Sniffed } from '#shared/sniff.ts'
import type { Env } from '#worker/platform/env.ts'
import { UnrecognizedFileError, EMPTY_INTAKE } from '#worker/media-formats/file-intake.ts'
import {
  ChunkReceiver,
  gatherKey,
  saveState,
  type UploadPlan,
  type UploadState,
} from '#worker/features/media/chunk-receiver.ts'
import { writeWithDeadline } from '#worker/platform/objects.ts'
import { abortParts } from '#worker/platform/open-parts.ts'

export type Appended =
  | { kind: 'taken'; offset: number }
  /** The chunk does not begin where the last one ended. */
  | { kind: 'misplaced'; offset: number }
  /** The chunk is longer than what is missing. */
  | { kind: 'too_much' }
  | { kind: 'foreign' }
/** The header in which a request tells {@link UploadStore.fetch} which {@link Chunk} it brings. */
export const CHUNK_HEADER = 'Nhaka-Piece'
/** `announced`: its length, null where it was not said. */
export type Chunk = { plan: UploadPlan; offset: number; announced: number | null }
/** A whole object, at the key of the plan or below it ({@link gatherKey}). */
export type Assembled = { key: string; size: number; sniffed: Sniffed }

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS upload (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS parts (number INTEGER PRIMARY KEY, etag TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS held (id INTEGER PRIMARY KEY AUTOINCREMENT, bytes BLOB NOT NULL)`
const NOTHING: UploadState = {
  offset: 0,
  inParts: 0,
  r2UploadId: null,
  intake: EMPTY_INTAKE,
  isAssembled: false,
}

/**
 * Receives one resumable upload. Its life: the first chunk creates it; chunks of any size become equal parts of an R2
 * multipart upload, and what is too little for a part is held in SQLite, so that every acknowledged byte survives a
 * crash; `assemble` makes the object; `forget` or `discard` ends it. The caller has decided who may send what;
 * the row in `resumable_uploads` is what the rest of the product knows of it. One chunk is received at a time: a
 * later one replaces the earlier one, because its sender has given that up.
 */
export class UploadStore extends DurableObject<Env> {
  #receiving: ChunkReceiver | null = null
  /** Settles when the call that is running, and every call that waits for it, has ended. */
  #turn: Promise<unknown> = Promise.resolve()
  #waiting = 0

  /** The tus offset. A chunk that is still arriving is aborted first: the sender resumes from the answer. */
  async offset(): Promise<number> {
    return this.#hydrateApp(() => this.#state.offset)
  }

  /**
   * Takes in one chunk: its bytes are the body, the rest is in a header. Answers {@link Appended} as JSON. It is no RPC
   * method, because a stream among RPC arguments arrives in small reads, which take twice the time.
   */
  override async fetch(request: Request): Promise<Response> {
    const chunk = JSON.parse(request.headers.get(CHUNK_HEADER) ?? 'null') as Chunk
    const body = request.body ?? new Response('').body
    if (!body) throw new Error('an empty body is a stream as well')
    return Response.json(await this.#append(chunk, body))
  }

  /** What arrived before a connection broke stays. */
  async #append({ plan, offset, announced }: Chunk, body: ReadableStream<Uint8Array>): Promise<Appended> {
    return this.#hydrateApp(async () => {
      const state = this.#state
      // A later call has replaced this chunk.
      if (offset !== state.offset || this.#waiting > 0) return { kind: 'misplaced', offset: state.offset }
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

  /** Makes the object out of its parts. Throws while bytes are missing. Safe to repeat. */
  async assemble(plan: UploadPlan): Promise<Assembled> {
    return this.#hydrateApp(async () => this.#assemble(plan))
  }

  async #assemble(plan: UploadPlan): Promise<Assembled> {
    const state = this.#state
    const { sniffed } = state.intake
    if (state.inParts !== plan.length || !sniffed || state.r2UploadId === null) {
      throw new Error(`${plan.length - state.inParts} bytes are missing`)
    }
    if (!state.isAssembled) {
      await this.#complete(gatherKey(plan, sniffed), plan.length, state.r2UploadId)
      saveState(this.ctx.storage.sql, { ...state, isAssembled: true })
    }
    return { key: gatherKey(plan, sniffed), size: plan.length, sniffed }
  }

  /** Ends it: the object, if there is one, stays. */
  async forget(): Promise<void> {
    await this.ctx.storage.deleteAll()
  }

  /** Ends it and everything that it has stored. Safe to repeat. */
  async discard(plan: UploadPlan): Promise<void> {
    return this.#hydrateApp(async () => {
      const { r2UploadId, isAssembled, intake } = this.#state
      if (r2UploadId !== null && intake.sniffed) {
        const key = gatherKey(plan, intake.sniffed)
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
      // Completed before, and the answer was lost.
      const made = await this.env.MEDIA.head(objectKey)
      if (made?.size !== length) throw error
    }
  }

  /** Stops the chunk that is arriving, waits for earlier calls, then does `work` alone. */
  async #hydrateApp<T>(work: () => T | Promise<T>): Promise<T> {
    this.#receiving?.giveUp()
    this.#waiting++
    const done = this.#turn.then(() => {
      this.#waiting--
      return work()
    })
    this.#turn = done.catch(() => null)
    return done
  }

  /** Read again each time: a failure may have left something else in memory. */
  get #state(): UploadState {
    const { sql } = this.ctx.storage
    sql.exec(SCHEMA)
    const [row] = sql.exec<{ state: string }>('SELECT state FROM upload').toArray()
    return row ? (JSON.parse(row.state) as UploadState) : NOTHING
  }
}
