import { DurableObject } from 'cloudflare:workers'
import type { Env } from '#worker/platform/env.ts'

type Window = { limit: number; windowMs: number }

/** Worldwide rate limits, one object per key. Each hit is a row; an alarm deletes all after the last window. */
export class Throttle extends DurableObject<Env> {
  /** Counts one hit if the limit allows it. Returns 0, or the seconds until the next hit is allowed. */
  async hit(window: Window, now: number): Promise<number> {
    const wait = this.#waitSec(window, now)
    if (wait > 0) return wait
    this.#hits.exec('INSERT INTO hits (at) VALUES (?)', now)
    await this.ctx.storage.setAlarm(Date.now() + window.windowMs)
    return 0
  }

  /** Like {@link hit}, but up to `repeats` more hits with the same `key` within the window don't count. */
  async hitOnce(window: Window, now: number, key: string, repeats: number): Promise<number> {
    const { sql } = this.ctx.storage
    sql.exec(
      'CREATE TABLE IF NOT EXISTS once (id TEXT PRIMARY KEY, at INTEGER NOT NULL, times INTEGER NOT NULL)',
    )
    sql.exec('DELETE FROM once WHERE at <= ? OR times > ?', now - window.windowMs, repeats)
    const known = sql.exec('UPDATE once SET times = times + 1 WHERE id = ? RETURNING id', key).toArray()
    if (known.length > 0) return 0
    if (this.#waitSec(window, now) === 0) sql.exec('INSERT INTO once VALUES (?, ?, 1)', key, now)
    return this.hit(window, now)
  }

  /** Like {@link hit}, without counting. */
  async peek(window: Window, now: number): Promise<number> {
    return this.#waitSec(window, now)
  }

  /** Removes one hit that was counted at `at`, for an attempt that succeeded. */
  async undo(at: number): Promise<void> {
    this.#hits.exec('DELETE FROM hits WHERE rowid = (SELECT rowid FROM hits WHERE at = ? LIMIT 1)', at)
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll()
  }

  /** Creates the table again after an alarm has deleted it. */
  get #hits(): SqlStorage {
    const { sql } = this.ctx.storage
    sql.exec('CREATE TABLE IF NOT EXISTS hits (at INTEGER NOT NULL)')
    return sql
  }

  #waitSec({ limit, windowMs }: Window, now: number): number {
    const sql = this.#hits
    sql.exec('DELETE FROM hits WHERE at <= ?', now - windowMs)
    const { count, first } = sql
      .exec<{ count: number; first: number | null }>('SELECT count(*) AS count, min(at) AS first FROM hits')
      .one()
    if (count < limit || first === null) return 0
    return Math.max(1, Math.ceil((first + windowMs - now) / 1000))
  }
}
