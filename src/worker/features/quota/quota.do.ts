import { DurableObject } from 'cloudflare:workers'
import { and, eq, isNotNull } from 'drizzle-orm'
import { CONTRIBUTOR_QUOTA, DRAFT_MAX_BYTES, MEMORIAL_QUOTA, RESERVATION_EXPIRES_MS } from '#shared/limits.ts'
import type { MediaType } from '#shared/media.ts'
import type { Env } from '#worker/platform/env.ts'
import { media } from '#worker/schema/media.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import { openDb } from '#worker/platform/db.ts'

/** One media item as the quota counts it. For the owner (null) only the memorial's limits apply. */
export type QuotaItem = {
  mediaId: string
  type: MediaType
  contributorId: string | null
  bytes: number
  durationSec: number
}
/** `request` ends with the request that uploads the file; `resumable` lasts until it expires. */
export type Lease = 'request' | 'resumable'
/** Removed, but can be restored: only its bytes count. Its `expires_at` is null. */
type RemovedLease = 'removed'
export type QuotaLimit =
  | `contributor_${MediaType}`
  | `memorial_${MediaType}`
  | 'memorial_bytes'
  | 'draft_bytes'
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

/** Limits how often refused uploads trigger a recount. */
const RECOUNT_INTERVAL_MS = 10_000

/**
 * Items are reserved before the first byte (`expires_at` set) and committed when their D1 row exists (`expires_at` null); an
 * alarm drops old reservations. D1 is the truth; no decision awaits anything between its read and its write.
 */
export class MemorialQuota extends DurableObject<Env> {
  /** Time of the last recount from D1 before a refusal. */
  #recountedAt = 0
  /** Read when an unpaid memorial would refuse. A memorial stays paid. */
  #isPaid = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    void ctx.blockConcurrencyWhile(() => this.#reconcile())
  }

  /** Reserves quota for one item. Returns null, or the limit that it would exceed. Idempotent by media id. */
  async reserve(item: QuotaItem, lease: Lease): Promise<QuotaLimit | null> {
    // Recount before refusing: a release may have been lost.
    if (this.#exceededLimit(item)) await this.#recount()
    await this.#refreshPaid(item)
    const limit = this.#exceededLimit(item)
    if (limit) return limit
    const expiresAt = Date.now() + RESERVATION_EXPIRES_MS
    if (!this.#isKnown(item)) this.#put(item, lease, expiresAt)
    // Another chunk of the same file has arrived, so extend the reservation.
    else
      this.#sql.exec(
        'UPDATE items SET expires_at = ? WHERE media_id = ? AND expires_at IS NOT NULL',
        expiresAt,
        item.mediaId,
      )
    await this.#setAlarm()
    return null
  }

  /** Commits an item whose row exists. Returns null, or the limit if its reservation is gone and the quota is full. */
  async commit(item: QuotaItem): Promise<QuotaLimit | null> {
    await this.#refreshPaid(item)
    const limit = this.#exceededLimit(item)
    if (limit === null) this.#put(item, null, null)
    return limit
  }

  /** Counts one item as D1 has it now, and drops a reservation for it. */
  async settle(mediaId: string): Promise<void> {
    await this.#recount(mediaId)
  }

  /** Releases the quota of one item. Does nothing for an unknown item. */
  async release(mediaId: string): Promise<void> {
    this.#sql.exec('DELETE FROM items WHERE media_id = ?', mediaId)
  }

  /** What a contributor has added or is uploading, by type. */
  async use(contributorId: string): Promise<QuotaUse> {
    const use: QuotaUse = {
      IMAGE: { count: 0, durationSec: 0 },
      VIDEO: { count: 0, durationSec: 0 },
      AUDIO: { count: 0, durationSec: 0 },
    }
    const rows = this.#sql.exec<{ type: MediaType; count: number; durationSec: number }>(
      `SELECT type, count(*) AS count, total(duration_sec) AS durationSec FROM items
       WHERE contributor_id = ? AND lease IS NOT 'removed' GROUP BY type`,
      contributorId,
    )
    for (const { type, count, durationSec } of rows) use[type] = { count, durationSec }
    return use
  }

  /** Deletes all storage of this object after its memorial was purged. */
  async forget(): Promise<void> {
    await this.ctx.storage.deleteAlarm()
    await this.ctx.storage.deleteAll()
  }

  override async alarm(): Promise<void> {
    this.#sql.exec('DELETE FROM items WHERE expires_at <= ?', Date.now())
    await this.#setAlarm()
  }

  /** Recreates the table, in case a purge has deleted it. */
  get #sql(): SqlStorage {
    const { sql } = this.ctx.storage
    sql.exec(SCHEMA)
    return sql
  }

  #isKnown({ mediaId }: QuotaItem): boolean {
    const known = "SELECT 1 FROM items WHERE media_id = ? AND lease IS NOT 'removed'"
    return this.#sql.exec(known, mediaId).toArray().length > 0
  }

  /** The limit that an uncounted item would exceed, or null. */
  #exceededLimit(item: QuotaItem): QuotaLimit | null {
    return this.#isKnown(item) ? null : this.#limitFor(item)
  }

  /** Looks up whether a memorial that would refuse as an unpaid one has been paid for. */
  async #refreshPaid(item: QuotaItem): Promise<void> {
    const memorialId = this.ctx.id.name
    if (memorialId === undefined || this.#exceededLimit(item) !== 'draft_bytes') return
    const paid = await openDb(this.env.DB).$count(payments, eq(payments.memorialId, memorialId))
    this.#isPaid = paid > 0
  }

  #limitFor({ mediaId, type, contributorId, bytes }: QuotaItem): QuotaLimit | null {
    const now = this.#sql
      .exec<{ own: number; all: number; bytes: number }>(
        `SELECT count(*) FILTER (WHERE type = ?1 AND contributor_id = ?2 AND lease IS NOT 'removed') AS own,
                count(*) FILTER (WHERE type = ?1 AND lease IS NOT 'removed') AS "all",
                coalesce(sum(bytes) FILTER (WHERE media_id <> ?3), 0) AS bytes FROM items`,
        type,
        contributorId,
        mediaId,
      )
      .one()
    if (contributorId !== null && now.own >= CONTRIBUTOR_MAX[type]) return `contributor_${type}`
    if (now.all >= MEMORIAL_MAX[type]) return `memorial_${type}`
    if (now.bytes + bytes > MEMORIAL_QUOTA.bytes) return 'memorial_bytes'
    return !this.#isPaid && now.bytes + bytes > DRAFT_MAX_BYTES ? 'draft_bytes' : null
  }

  #put(item: QuotaItem, lease: Lease | RemovedLease | null, expiresAt: number | null): void {
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

  /** Reloads items from D1 and keeps reservations, since their requests are alive, except `settled`. Blocks other calls. */
  async #recount(settled: string | null = null): Promise<void> {
    if (settled === null && Date.now() < this.#recountedAt + RECOUNT_INTERVAL_MS) return
    this.#recountedAt = Date.now()
    await this.ctx.blockConcurrencyWhile(async () => {
      try {
        await this.#reconcile('running', settled)
      } catch {
        // If D1 is down, keep the current counts. An error thrown in here would reset this object and its reservations.
        this.#recountedAt = 0
      }
    })
  }

  /** On start it drops `request` reservations, which may have died; a request that lives on reserves again. */
  async #reconcile(state: 'starting' | 'running' = 'starting', settled: string | null = null): Promise<void> {
    // The name is the memorial's id. It may be missing when an alarm starts the object; then the next call reconciles.
    const memorialId = this.ctx.id.name ?? (await this.ctx.storage.get<string>('memorialId'))
    if (memorialId === undefined) return
    await this.ctx.storage.put('memorialId', memorialId)
    const db = openDb(this.env.DB)
    const [rows, removed] = await db.batch([
      db
        .select({
          mediaId: media.id,
          type: media.type,
          contributorId: media.contributorId,
          bytes: media.size,
          durationSec: media.durationSec,
        })
        .from(media)
        .where(eq(media.memorialId, memorialId)),
      db
        .select({
          mediaId: removedItems.id,
          contributorId: removedItems.contributorId,
          bytes: removedItems.bytes,
          item: removedItems.item,
        })
        .from(removedItems)
        .where(and(eq(removedItems.memorialId, memorialId), isNotNull(removedItems.objectKey))),
    ])
    this.ctx.storage.transactionSync(() => {
      this.#sql.exec('DELETE FROM items WHERE expires_at IS NULL OR media_id = ?', settled)
      if (state === 'starting') this.#sql.exec("DELETE FROM items WHERE lease = 'request'")
      for (const row of rows) this.#put({ ...row, durationSec: row.durationSec ?? 0 }, null, null)
      for (const { item, ...row } of removed) {
        const { type = 'IMAGE', durationSec } = item
        const kept = { ...row, type, durationSec: durationSec ?? 0 }
        // Known: it is being restored, and has a reservation.
        if (!this.#isKnown(kept)) this.#put(kept, 'removed', null)
      }
    })
  }
}
