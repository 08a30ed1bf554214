import { DurableObject } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { CONTRIBUTOR_QUOTA, MEMORIAL_QUOTA, RESERVATION_EXPIRES_MS } from '#shared/limits.ts'
import type { MediaType } from '#shared/media.ts'
import type { Env } from '#worker/platform/env.ts'
import { media } from '#worker/schema/media.table.ts'
import { openDb } from '#worker/platform/db.ts'

/** One medium as the quota sees it. `contributorId` null: the owner's, bound by the memorial's limits alone. */
export type QuotaItem = {
  mediaId: string
  type: MediaType
  contributorId: string | null
  bytes: number
  durationSec: number
}
/** `request`: dies with the request that sends the file. `resumable`: lives until it expires. */
export type Lease = 'request' | 'resumable'
/** Which limit stands in the way. */
export type QuotaLimit = `contributor_${MediaType}` | `memorial_${MediaType}` | 'memorial_bytes'
export type QuotaUse = Record<MediaType, { count: number; durationSec: number }>

const SCHEMA = `CREATE TABLE IF NOT EXISTS items (
  media_id TEXT PRIMARY KEY, type TEXT NOT NULL, contributor_id TEXT, bytes INTEGER NOT NULL,
  duration_sec REAL NOT NULL, lease TEXT, expires_at INTEGER
)`
const CONTRIBUTOR_MAX: Record<MediaType, number> = {
  IMAGE: CONTRIBUTOR_QUOTA.images.max,
  VIDEO: CONTRIBUTOR_QUOTA.video.max,
  AUDIO: CONTRIBUTOR_QUOTA.audio.max,
}
const MEMORIAL_MAX: Record<MediaType, number> = {
  IMAGE: MEMORIAL_QUOTA.images,
  VIDEO: MEMORIAL_QUOTA.video,
  AUDIO: MEMORIAL_QUOTA.audio,
}

/** Many who are refused at once are refused by one look. */
const COUNT_AGAIN_AFTER_MS = 10_000

/**
 * Counts the media of one memorial, so that no number of simultaneous uploads exceeds a limit. Its life: the first
 * upload makes it. An item is reserved before the first byte (`expires_at` set), committed once its D1 row exists
 * (`expires_at` null), and gone when it is released: after a failure, or with the medium. An alarm drops reservations
 * that outlived 24 hours. D1 is the truth: each time the object wakes it takes its committed items from the memorial's
 * rows and forgets reservations of single requests, which may have died with their process; one that lives on asks
 * again before it writes. Every decision is one synchronous piece between read and write. It ends with its memorial: the
 * purge makes it forget everything.
 */
export class MemorialQuota extends DurableObject<Env> {
  /** When the rows were last asked because somebody was about to be refused. */
  #countedAt = 0

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(() => this.#reconcile())
  }

  /** Holds room for one medium. Returns null, or the limit that is reached. Idempotent by media id. */
  async reserve(item: QuotaItem, lease: Lease): Promise<QuotaLimit | null> {
    // A place whose return was lost is found again before anybody is refused.
    if (this.#refusal(item)) await this.#countAgain()
    const limit = this.#refusal(item)
    if (limit) return limit
    const expiresAt = Date.now() + RESERVATION_EXPIRES_MS
    if (!this.#isKnown(item)) this.#put(item, lease, expiresAt)
    // Asked again, room is held anew: more of the file has come.
    else
      this.#sql.exec(
        'UPDATE items SET expires_at = ? WHERE media_id = ? AND expires_at IS NOT NULL',
        expiresAt,
        item.mediaId,
      )
    await this.#setAlarm()
    return null
  }

  /** Counts a medium whose row exists. Returns null, or the limit if its reservation is gone and there is no room. */
  async commit(item: QuotaItem): Promise<QuotaLimit | null> {
    const limit = this.#refusal(item)
    if (limit === null) this.#put(item, null, null)
    return limit
  }

  /** Gives the room of one medium back; nothing happens for one that is not counted. */
  async release(mediaId: string): Promise<void> {
    this.#sql.exec('DELETE FROM items WHERE media_id = ?', mediaId)
  }

  /** What a contributor has added (or is adding), by type. */
  async use(contributorId: string): Promise<QuotaUse> {
    const use: QuotaUse = {
      IMAGE: { count: 0, durationSec: 0 },
      VIDEO: { count: 0, durationSec: 0 },
      AUDIO: { count: 0, durationSec: 0 },
    }
    const rows = this.#sql.exec<{ type: MediaType; count: number; durationSec: number }>(
      `SELECT type, count(*) AS count, total(duration_sec) AS durationSec FROM items
       WHERE contributor_id = ? GROUP BY type`,
      contributorId,
    )
    for (const { type, count, durationSec } of rows) use[type] = { count, durationSec }
    return use
  }

  /** Leaves nothing in storage: the memorial is purged. */
  async forget(): Promise<void> {
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
  }

  override async alarm(): Promise<void> {
    this.#sql.exec('DELETE FROM items WHERE expires_at <= ?', Date.now())
    await this.#setAlarm()
  }

  /** The table, made anew where a purge has forgotten it. */
  get #sql(): SqlStorage {
    const { sql } = this.ctx.storage
    sql.exec(SCHEMA)
    return sql
  }

  #isKnown({ mediaId }: QuotaItem): boolean {
    return this.#sql.exec('SELECT 1 FROM items WHERE media_id = ?', mediaId).toArray().length > 0
  }

  /** The limit that stands against a medium that is not counted yet, or null. */
  #refusal(item: QuotaItem): QuotaLimit | null {
    return this.#isKnown(item) ? null : this.#reached(item)
  }

  #reached({ type, contributorId, bytes }: QuotaItem): QuotaLimit | null {
    const now = this.#sql
      .exec<{ own: number; all: number; bytes: number }>(
        `SELECT count(*) FILTER (WHERE type = ?1 AND contributor_id = ?2) AS own,
                count(*) FILTER (WHERE type = ?1) AS "all", coalesce(sum(bytes), 0) AS bytes FROM items`,
        type,
        contributorId,
      )
      .one()
    if (contributorId !== null && now.own >= CONTRIBUTOR_MAX[type]) return `contributor_${type}`
    if (now.all >= MEMORIAL_MAX[type]) return `memorial_${type}`
    return now.bytes + bytes > MEMORIAL_QUOTA.bytes ? 'memorial_bytes' : null
  }

  #put(item: QuotaItem, lease: Lease | null, expiresAt: number | null): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO items (media_id, type, contributor_id, bytes, duration_sec, lease, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      item.mediaId,
      item.type,
      item.contributorId,
      item.bytes,
      item.durationSec,
      lease,
      expiresAt,
    )
  }

  async #setAlarm(): Promise<void> {
    const { next } = this.#sql
      .exec<{ next: number | null }>('SELECT min(expires_at) AS next FROM items')
      .one()
    if (next !== null) await this.ctx.storage.setAlarm(next)
  }

  /** Takes the rows for true while awake; requests that hold room are alive then. Nothing else happens meanwhile. */
  async #countAgain(): Promise<void> {
    if (Date.now() < this.#countedAt + COUNT_AGAIN_AFTER_MS) return
    this.#countedAt = Date.now()
    await this.ctx.blockConcurrencyWhile(async () => {
      try {
        await this.#reconcile('awake')
      } catch {
        // The database is away: what is counted stands. Thrown on, it would end this object with all that it holds.
        this.#countedAt = 0
      }
    })
  }

  async #reconcile(state: 'waking' | 'awake' = 'waking'): Promise<void> {
    // The name is the memorial's id; an object that an alarm woke may not know it, and then waits for the next call.
    const memorialId = this.ctx.id.name ?? (await this.ctx.storage.get<string>('memorialId'))
    if (memorialId === undefined) return
    await this.ctx.storage.put('memorialId', memorialId)
    const rows = await openDb(this.env.DB)
      .select({
        mediaId: media.id,
        type: media.type,
        contributorId: media.contributorId,
        bytes: media.size,
        durationSec: media.durationSec,
      })
      .from(media)
      .where(eq(media.memorialId, memorialId))
    this.ctx.storage.transactionSync(() => {
      this.#sql.exec('DELETE FROM items WHERE expires_at IS NULL')
      if (state === 'waking') this.#sql.exec("DELETE FROM items WHERE lease = 'request'")
      for (const row of rows) this.#put({ ...row, durationSec: row.durationSec ?? 0 }, null, null)
    })
  }
}
