import { and, eq, sql, type SQL } from 'drizzle-orm'
import type { GatheringFacts } from '#shared/funeral/funeral.ts'
import { isNearby } from '#shared/funeral/gathering-words.ts'
import { CHANGE_SETTLES_MS } from '#shared/limits.ts'
import { factsOf, placeHolds, type FuneralRow } from '#worker/features/funeral/funeral.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { replies } from '#worker/schema/funeral.table.ts'

/**
 * Counts a change of time, place or cancellation, and keeps what the page said before it. What was entered within the last hour was hardly read:
 * correcting it leaves no mark, and taking a change back removes its mark. Completing an address changes nothing that people know.
 */
export function markChange(
  before: FuneralRow,
  after: FuneralRow,
  now: number,
): Pick<FuneralRow, 'sequence' | 'changedAt' | 'changedFrom'> {
  const { sequence, changedAt, changedFrom } = before
  const [was, is] = [factsOf(before), factsOf(after)]
  if (JSON.stringify(was) === JSON.stringify(is)) return { sequence, changedAt, changedFrom }
  const next = { sequence: sequence + 1 }
  if (stillHold(was, is)) return { ...next, changedAt, changedFrom }
  const isRecent = (at: number) => at > now - CHANGE_SETTLES_MS
  const since = changedAt !== null && isRecent(changedAt) ? changedFrom : was
  const isUnread = changedAt === null && isRecent(before.createdAt)
  if (isUnread || (since && stillHold(since, is))) return { ...next, changedAt: null, changedFrom: null }
  return { ...next, changedAt: now, changedFrom: since }
}

const NO_PLACE = { place: undefined, pin: undefined }

/** Whether somebody who knows the first facts knows enough of the second. */
function stillHold(known: GatheringFacts, now: GatheringFacts): boolean {
  return (
    placeHolds(known.place, now.place) &&
    isNearby(known.pin, now.pin) &&
    JSON.stringify({ ...known, ...NO_PLACE }) === JSON.stringify({ ...now, ...NO_PLACE })
  )
}

/** Statement for the batch that changes a gathering if `isSaved`, before the change: whoever was told facts that still hold needs no mail about it. */
export function keepTold(ctx: Ctx, before: FuneralRow, after: FuneralRow, isSaved: SQL) {
  const is = factsOf(after)
  const known = [factsOf(before), before.changedFrom].filter((facts) => facts && stillHold(facts, is))
  const texts = JSON.stringify(known.map((facts) => JSON.stringify(facts)))
  return ctx.db
    .update(replies)
    .set({ knows: is })
    .where(
      and(
        eq(replies.eventId, before.id),
        sql`${replies.knows} in (select value from json_each(${texts}))`,
        sql`${replies.knows} <> ${JSON.stringify(is)}`,
        isSaved,
      ),
    )
}
