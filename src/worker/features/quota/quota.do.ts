import { DurableObject } from 'cloudflare:workers'
import { and, eq, isNotNull } from 'drizzle-orm'
import { RESERVATION_IDLE_MS, RESERVATION_UNSTARTED_MS } from '#shared/limits.ts'
import type { MediaType } from '#shared/media/media-types.ts'
import {
  exceededLimit,
  type Occupancy,
  type QuotaItem,
  type QuotaLimit,
} from '#worker/features/quota/quota-limits.ts'
import type { Env } from '#worker/platform/env.ts'
import { media } from '#worker/schema/media.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import { openDb } from '#worker/platform/db.ts'

/**
 * `announced`: a resumable upload of which no byte has arrived. `resumable`: one that has just received a chunk. `request`: ends
 * with the request that uploads the file.
 */
export type Lease = 'announced' | 'resumable' | 'request'
/** Removed, but can be restored: only its bytes count. Its `expires_at` is null. */
type RemovedLease = 'removed'
export type QuotaUse = Record<MediaType, { count: number; durationSec: number }>

const SCHEMA = `CREATE TABLE IF NOT EXISTS items (
  media_id TEXT PRIMARY KEY, type TEXT NOT NULL, contributor_id TEXT, bytes INTEGER NOT NULL,
  duration_sec REAL NOT NULL, lease TEXT, expires_at INTEGER, link TEXT
)`
const LEASE_MS: Record<Lease, number> = {
  announced: RESERVATION_UNSTARTED_MS,
  resumable: RESERVATION_IDLE_MS,
  request: RESERVATION_IDLE_MS,
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
    // Objects that were made before links were counted.
    const columns = this.#sql.exec('PRAGMA table_info(items)').toArray()
    if (!columns.some(({ name }) => name === 'link')) this.#sql.exec('ALTER TABLE items ADD COLUMN link TEXT')
    void ctx.blockConcurrencyWhile(() => this.#reconcile())
  }

  /**
   * Reserves quota for one item, or extends its reservation. Returns null, or the limit that it would exceed. Idempotent by media
   * id. `link`: identifies the invitation by which the file comes; null for the owner, and for a file that has arrived.
   */
  async reserve(item: QuotaItem, lease: Lease, link: string | null = null): Promise<QuotaLimit | null> {
    this.#dropExpired()
    // Recount before refusing: a release may have been lost.
    if (this.#exceededLimit(item, link)) await this.#recount()
    await this.#refreshPaid(item)
    const limit = this.#exceededLimit(item, link)
    if (limit) return limit
    const expiresAt = Date.now() + LEASE_MS[lease]
    if (!this.#isKnown(item)) this.#put(item, lease, expiresAt, link)
    // Bytes of the same file are arriving, so extend the reservation. Announcing it again doesn't.
    else if (lease !== 'announced')
      this.#sql.exec(
        'UPDATE items SET lease = ?, expires_at = ? WHERE media_id = ? AND expires_at IS NOT NULL',
        lease,
        expiresAt,
        item.mediaId,
      )
    await this.#setAlarm()
    return null
  }

  /** Reserves quota for items that are restored together. Returns the ids of those that have a place. */
  async reserveEach(items: QuotaItem[]): Promise<string[]> {
    await this.#recount([])
    await this.#readPaid()
    const expiresAt = Date.now() + LEASE_MS.request
    // Reservations of contributors count for nobody else, but these come back together.
    const placedBefore: Record<MediaType, number> = { IMAGE: 0, VIDEO: 0, AUDIO: 0 }
    const placed = items.filter((item) => {
      if (this.#isKnown(item, true)) return true
      if (this.#limitFor(item, null, placedBefore[item.type])) return false
      placedBefore[item.type] += 1
      if (!this.#isKnown(item)) this.#put(item, 'request', expiresAt)
      return true
    })
    await this.#setAlarm()
    return placed.map(({ mediaId }) => mediaId)
  }

  /** Commits an item whose row exists. Returns null, or the limit if the quota is full without its reservation. */
  async commit(item: QuotaItem): Promise<QuotaLimit | null> {
    await this.#refreshPaid(item)
    const limit = this.#exceededLimit(item, null)
    if (limit === null) this.#put(item, null, null)
    return limit
  }

  /** Counts everything as D1 has it now, and drops reservations for these items. */
  async settle(mediaIds: string[]): Promise<void> {
    await this.#recount(mediaIds)
  }

  /** Releases the quota of one item. Does nothing for an unknown item. */
  async release(mediaId: string): Promise<void> {
    this.#sql.exec('DELETE FROM items WHERE media_id = ?', mediaId)
  }

  /** Ends the reservations of all contributors, after their invitation or the memorial has been closed to them. */
  async dropContributors(): Promise<void> {
    this.#sql.exec('DELETE FROM items WHERE expires_at IS NOT NULL AND contributor_id IS NOT NULL')
  }

  /** What a contributor has added or is uploading, by type. */
  async use(contributorId: string): Promise<QuotaUse> {
    this.#dropExpired()
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
    this.#dropExpired()
    await this.#setAlarm()
  }

  #dropExpired(): void {
    this.#sql.exec('DELETE FROM items WHERE expires_at <= ?', Date.now())
  }

  /** Recreates the table, in case a purge has deleted it. */
  get #sql(): SqlStorage {
    const { sql } = this.ctx.storage
    sql.exec(SCHEMA)
    return sql
  }

  #isKnown({ mediaId }: QuotaItem, isCommitted = false): boolean {
    const known = `SELECT 1 FROM items WHERE media_id = ? AND lease IS ${isCommitted ? 'NULL' : "NOT 'removed'"}`
    return this.#sql.exec(known, mediaId).toArray().length > 0
  }

  /** The limit that an item which is not committed would exceed, or null. A reservation keeps its place unless the owner has taken it. */
  #exceededLimit(item: QuotaItem, link: string | null): QuotaLimit | null {
    if (this.#isKnown(item, true)) return null
    return this.#limitFor(item, this.#isKnown(item) ? null : link)
  }

  /** Looks up whether a memorial that would refuse as an unpaid one has been paid for. */
  async #refreshPaid(item: QuotaItem): Promise<void> {
    if (this.#exceededLimit(item, null) === 'draft_bytes') await this.#readPaid()
  }

  async #readPaid(): Promise<void> {
    const memorialId = this.ctx.id.name
    if (memorialId === undefined) return
    const paid = await openDb(this.env.DB).$count(payments, eq(payments.memorialId, memorialId))
    this.#isPaid = paid > 0
  }

  /** `alsoHeld`: items of this type that count although their rows don't exist yet. */
  #limitFor(item: QuotaItem, link: string | null, alsoHeld = 0): QuotaLimit | null {
    const { mediaId, type, contributorId } = item
    const now = this.#sql
      .exec<Occupancy>(
        `WITH others AS (SELECT *, type = ?1 AND lease IS NOT 'removed' AS alike, expires_at IS NULL AS is_held,
           contributor_id IS NULL AS is_owners, coalesce(link = ?4, 0) AS by_link FROM items WHERE media_id <> ?3)
         SELECT count(*) FILTER (WHERE alike AND contributor_id = ?2) AS own,
                count(*) FILTER (WHERE alike AND is_held) AS held,
                count(*) FILTER (WHERE alike AND NOT is_held AND (is_owners OR by_link)) AS sending,
                total(bytes) FILTER (WHERE is_held) AS heldBytes,
                total(bytes) FILTER (WHERE NOT is_held AND is_owners) AS ownerBytes,
                total(bytes) FILTER (WHERE NOT is_held AND by_link) AS linkBytes FROM others`,
        type,
        contributorId,
        mediaId,
        link,
      )
      .one()
    return exceededLimit(item, { ...now, held: now.held + alsoHeld }, { isPaid: this.#isPaid, link })
  }

  #put(
    item: QuotaItem,
    lease: Lease | RemovedLease | null,
    expiresAt: number | null,
    link: string | null = null,
  ): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO items (media_id, type, contributor_id, bytes, duration_sec, lease, expires_at, link)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      item.mediaId,
      item.type,
      item.contributorId,
      item.bytes,
      item.durationSec,
      lease,
      expiresAt,
      link,
    )
  }

  async #setAlarm(): Promise<void> {
    const { next } = this.#sql
      .exec<{ next: number | null }>('SELECT min(expires_at) AS next FROM items')
      .one()
    if (next !== null) await this.ctx.storage.setAlarm(next)
  }

  /** Reloads items from D1 and keeps reservations, since their requests are alive, except `settled`. Blocks other calls. */
  async #recount(settled: string[] | null = null): Promise<void> {
    if (settled === null && Date.now() < this.#recountedAt + RECOUNT_INTERVAL_MS) return
    this.#recountedAt = Date.now()
    await this.ctx.blockConcurrencyWhile(async () => {
      try {
        await this.#reconcile('running', settled ?? [])
      } catch {
        // If D1 is down, keep the current counts. An error thrown in here would reset this object and its reservations.
        this.#recountedAt = 0
      }
    })
  }

  /** On start it drops `request` reservations, which may have died; a request that lives on reserves again. */
  async #reconcile(state: 'starting' | 'running' = 'starting', settled: string[] = []): Promise<void> {
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
      this.#sql.exec(
        'DELETE FROM items WHERE expires_at IS NULL OR media_id IN (SELECT value FROM json_each(?))',
        JSON.stringify(settled),
      )
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
