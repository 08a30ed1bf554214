import { DurableObject } from 'cloudflare:workers'
import type { Env } from '#worker/platform/env.ts'

type Window = { limit: number; windowMs: number }

/**
 * Counts what must hold worldwide, one object a key (an account's failed logins, the mails to one mailbox, a
 * contributor's messages). Its life: made by the first hit; each hit is a row; an alarm forgets everything once the
 * last hit is a whole window old.
 */
export class Throttle extends DurableObject<Env> {
  /** Counts one hit if there is room. Returns 0, or the seconds until there is room again. */
  async hit(window: Window, now: number): Promise<number> {
    const wait = this.#waitSec(window, now)
    if (wait > 0) return wait
    this.#hits.exec('INSERT INTO hits (at) VALUES (?)', now)
    await this.ctx.storage.setAlarm(Date.now() + window.windowMs)
    return 0
  }

  /** As {@link hit}, without counting. */
  async peek(window: Window, now: number): Promise<number> {
    return this.#waitSec(window, now)
  }

  /** Takes back one hit that was counted at `at`: what was counted beforehand turned out to be harmless. */
  async undo(at: number): Promise<void> {
    this.#hits.exec('DELETE FROM hits WHERE rowid = (SELECT rowid FROM hits WHERE at = ? LIMIT 1)', at)
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll()
  }

  /** The table, made anew where an alarm has forgotten it. */
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
