import { and, lte, sql } from 'drizzle-orm'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { endOf } from '#shared/funeral/gatherings.ts'
import { GATHERINGS_FOLD_MS, HOUR_MS, REPLIES_KEPT_MS, STREAM_SOON_MS, TURNS_BATCH } from '#shared/limits.ts'
import { wallClock } from '#shared/dates.ts'
import { toFuneralEvent } from '#worker/features/funeral/funeral.ts'
import { toInstant } from '#worker/features/funeral/wall-clock.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

type Turning = Pick<
  FuneralEvent,
  'dateTime' | 'endDateTime' | 'timeZone' | 'streamUrl' | 'repliesUntil' | 'change' | 'takesReplies'
>

/** When a page of these gatherings next says something else, in ms since 1970; null if never. */
export function nextTurn(events: readonly Turning[], now: number): number | null {
  const ahead = events.flatMap(turnsOf).filter((turn) => turn > now)
  return ahead.length === 0 ? null : Math.min(...ahead)
}

/** `last`: 0 if none. `next`: as {@link nextTurn}. */
export type Turns = { last: number; next: number | null }

/**
 * The turns before and after now. A page says the same from one turn to the next, so it is written for the last one, and two that are written
 * between the same turns are equal to the byte.
 */
export function turnsAround(events: readonly Turning[], now: number): Turns {
  const before = events.flatMap(turnsOf).filter((turn) => turn <= now)
  return { last: Math.max(0, ...before), next: nextTurn(events, now) }
}

/** When "tomorrow" becomes "today", the stream is soon, the gathering begins and ends, past ones fold, and replies are deleted. */
function turnsOf(event: Turning): number[] {
  const { dateTime, timeZone, streamUrl, takesReplies, repliesUntil, change } = event
  const [start, end] = [Date.parse(dateTime), endOf(event)]
  const nextDay = midnight(start, timeZone, 1)
  // "Begins in 2 h" is to the nearest hour.
  const hours = streamUrl === null ? 0 : STREAM_SOON_MS / HOUR_MS
  return [
    midnight(start, timeZone, -1),
    midnight(start, timeZone),
    // A vigil began today, and then on a date.
    ...(nextDay < end ? [nextDay] : []),
    ...(streamUrl === null ? [] : [start - STREAM_SOON_MS]),
    ...Array.from({ length: hours }, (_, index) => start - (index + 0.5) * HOUR_MS),
    start,
    end,
    end + GATHERINGS_FOLD_MS,
    ...(takesReplies && repliesUntil !== null ? [Date.parse(repliesUntil)] : []),
    ...(takesReplies ? [end + REPLIES_KEPT_MS] : []),
    // "Changed today", "Changed yesterday".
    ...(change === null
      ? []
      : [Date.parse(change.at), ...[1, 2].map((days) => midnight(Date.parse(change.at), timeZone, days))]),
  ]
}

/** When the day began, by the clocks there, that is `days` after the one in which this instant is. */
function midnight(instant: number, timeZone: string, days = 0): number {
  const { year, month, day } = wallClock(new Date(instant).toISOString(), timeZone)
  const date = new Date(Date.UTC(year, month - 1, day + days)).toISOString().slice(0, 10)
  return toInstant(`${date}T00:00`, timeZone) ?? instant
}

/**
 * Purges the cached pages whose gatherings have reached a turn, and notes their next one. Bounded per run; safe to repeat: a gathering that was edited
 * meanwhile keeps its newer turn.
 */
export async function purgeTurnedPages(ctx: Ctx): Promise<void> {
  const now = ctx.now()
  const isDue = lte(funeralEvents.turnsAt, now)
  const rows = await ctx.db
    .select()
    .from(funeralEvents)
    .where(isDue)
    .orderBy(funeralEvents.turnsAt)
    .limit(TURNS_BATCH)
  if (rows.length === 0) return
  const turns = JSON.stringify(rows.map((row) => ({ id: row.id, at: nextTurn([toFuneralEvent(row)], now) })))
  const ids = rows.map(({ memorialId }) => memorialId)
  await ctx.db.batch([
    queueCachePurge(ctx, inMemorials(ids), { urgent: false }),
    ctx.db
      .update(funeralEvents)
      .set({
        turnsAt: sql`(select value ->> 'at' from json_each(${turns}) where value ->> 'id' = ${funeralEvents.id})`,
      })
      .where(and(isDue, sql`${funeralEvents.id} in (select value ->> 'id' from json_each(${turns}))`)),
  ])
}

function inMemorials(ids: string[]) {
  return sql`${memorials.id} in (select value from json_each(${JSON.stringify(ids)}))`
}
