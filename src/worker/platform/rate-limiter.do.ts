import { DurableObject } from 'cloudflare:workers'
import { DAY_MS } from '#shared/limits.ts'
import type { Env } from '#worker/platform/env.ts'

/** At most `limit` hits in `windowMs`. */
export type RateLimit = {
  limit: number
  windowMs: number
  /** After the first `limit` hits in one window, the wait after each further hit; the last one repeats. */
  delaysMs?: readonly number[]
  /** Counts only this source's hits; default: all hits of the object. A hit is stored with the source of its limits. */
  source?: string
}

/** How long hits count towards growing delays. */
const DELAYS_SINCE_MS = DAY_MS

/** Worldwide rate limits, one object per key. Each hit is a row; an alarm deletes all after the last window. */
export class Throttle extends DurableObject<Env> {
  /** Counts one hit if all limits allow it. Returns 0, or the seconds until the next hit is allowed. */
  async hit(limits: readonly RateLimit[], now: number): Promise<number> {
    const wait = this.#waitSec(limits, now)
    if (wait > 0) return wait
    this.#hits.exec('INSERT INTO hits (at, source) VALUES (?, ?)', now, sourceOf(limits))
    await this.ctx.storage.setAlarm(Date.now() + retentionMs(limits))
    return 0
  }

  /** Like {@link hit}, but up to `repeats` more hits with the same `key` within the window don't count. */
  async hitOnce(limit: RateLimit, now: number, key: string, repeats: number): Promise<number> {
    const { sql } = this.ctx.storage
    sql.exec(
      'CREATE TABLE IF NOT EXISTS once (id TEXT PRIMARY KEY, at INTEGER NOT NULL, times INTEGER NOT NULL)',
    )
    sql.exec('DELETE FROM once WHERE at <= ? OR times > ?', now - limit.windowMs, repeats)
    const known = sql.exec('UPDATE once SET times = times + 1 WHERE id = ? RETURNING id', key).toArray()
    if (known.length > 0) return 0
    if (this.#waitSec([limit], now) === 0) sql.exec('INSERT INTO once VALUES (?, ?, 1)', key, now)
    return this.hit([limit], now)
  }

  /** Like {@link hit}, without counting. */
  async peek(limits: readonly RateLimit[], now: number): Promise<number> {
    return this.#waitSec(limits, now)
  }

  /** Removes one hit that was counted at `at` with these limits, for an attempt that succeeded. */
  async undo(limits: readonly RateLimit[], at: number): Promise<void> {
    const one = 'SELECT rowid FROM hits WHERE at = ? AND source = ? LIMIT 1'
    this.#hits.exec(`DELETE FROM hits WHERE rowid = (${one})`, at, sourceOf(limits))
  }

  /** Removes all hits. */
  async clear(): Promise<void> {
    this.#hits.exec('DELETE FROM hits')
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll()
  }

  /** Creates the table again after an alarm has deleted it. */
  get #hits(): SqlStorage {
    const { sql } = this.ctx.storage
    sql.exec('CREATE TABLE IF NOT EXISTS hits (at INTEGER NOT NULL, source TEXT NOT NULL)')
    return sql
  }

  #waitSec(limits: readonly RateLimit[], now: number): number {
    this.#hits.exec('DELETE FROM hits WHERE at <= ?', now - retentionMs(limits))
    const waitMs = Math.max(0, ...limits.map((limit) => this.#waitMs(limit, now)))
    return waitMs > 0 ? Math.max(1, Math.ceil(waitMs / 1000)) : 0
  }

  #waitMs(limit: RateLimit, now: number): number {
    const { source = null, windowMs } = limit
    const where = 'FROM hits WHERE at > ?1 AND (?2 IS NULL OR source = ?2)'
    if (limit.delaysMs) {
      const since = now - retentionMs([limit])
      const rows = this.#hits.exec<{ at: number }>(`SELECT at ${where} ORDER BY at`, since, source)
      return growingWaitMs(
        rows.toArray().map(({ at }) => at),
        limit,
        now,
      )
    }
    const { count, first } = this.#hits
      .exec<{ count: number; first: number | null }>(
        `SELECT count(*) AS count, min(at) AS first ${where}`,
        now - windowMs,
        source,
      )
      .one()
    return count < limit.limit || first === null ? 0 : first + windowMs - now
  }
}

/**
 * The milliseconds until the next hit is allowed, 0 or less: now. `hits` are the times of the earlier ones, oldest first.
 * Nothing waits until `limit` hits have come within `windowMs`; from then on each hit makes the next one wait longer.
 */
export function growingWaitMs(hits: readonly number[], limit: RateLimit, now: number): number {
  const { delaysMs = [], windowMs } = limit
  const filledAt = hits.findIndex((at, i) => at - (hits[i - limit.limit + 1] ?? -Infinity) < windowMs)
  const last = hits.at(-1)
  if (filledAt === -1 || last === undefined) return 0
  const delay = delaysMs[Math.min(hits.length - 1 - filledAt, delaysMs.length - 1)] ?? windowMs
  return last + delay - now
}

function retentionMs(limits: readonly RateLimit[]): number {
  return Math.max(...limits.map(({ windowMs, delaysMs }) => (delaysMs ? DELAYS_SINCE_MS : windowMs)))
}

function sourceOf(limits: readonly RateLimit[]): string {
  return limits.find(({ source }) => source !== undefined)?.source ?? ''
}
