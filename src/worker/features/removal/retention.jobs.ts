import { and, eq, inArray, isNotNull, isNull, lte, sql, type SQL } from 'drizzle-orm'
import { FAMILY_ACTIONS_KEPT_MS, LET_IN_KEPT_MS, RECORDS_KEPT_MS } from '#shared/limits.ts'
import { forgetUnconfirmed } from '#worker/features/followers/followers.jobs.ts'
import { deleteOldReplies } from '#worker/features/replies/replies.jobs.ts'
import { forgetUnmailedAddresses } from '#worker/features/visitors/forget-visitors.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { deleteSome } from '#worker/platform/db.ts'
import { familyActions } from '#worker/schema/family-actions.table.ts'
import { idempotencyKeys } from '#worker/schema/idempotency.table.ts'
import { contributorCodes, contributors } from '#worker/schema/invites.table.ts'
import { handovers, keeperInvites } from '#worker/schema/keepers.table.ts'
import { letInRequests } from '#worker/schema/let-in.table.ts'
import { mails } from '#worker/schema/mail.table.ts'

/** Rows of each kind that one batch deletes, and batches per run: 50,000 rows a day of each, in 100 of D1's 1,000 queries. */
const BATCH = 2000
const BATCHES_MAX = 25

/**
 * Deletes what nobody reads any more: mails half a year after they were sent or cancelled, idempotency keys of that age, and
 * what is left of ended contributor sessions (a guest's row; the token of one who gave a name, whose row stays with what they
 * added), codes, and invitations to look after a memorial and offers to hand one over that have ended, the family's log after twelve months, addresses that
 * got no link, and replies to gatherings long over. Bounded per run; the next run continues. Safe to repeat or kill.
 */
export async function deleteOldRecords(ctx: Ctx): Promise<void> {
  let count = 0
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const changed = await deleteBatch(ctx)
    count += changed.reduce((sum, rows) => sum + rows, 0)
    if (changed.every((rows) => rows < BATCH)) break
  }
  if (count > 0) ctx.log.info('old_records_deleted', { count })
  await forgetUnmailedAddresses(ctx)
  await deleteOldReplies(ctx)
  await forgetUnconfirmed(ctx)
}

/** Returns how many rows each statement changed. */
async function deleteBatch({ db, now }: Ctx): Promise<number[]> {
  const before = now() - RECORDS_KEPT_MS
  const keptSince = now() - FAMILY_ACTIONS_KEPT_MS
  // A mail that gave up stays: an admin may send it again.
  const isDone = inArray(mails.status, ['SENT', 'CANCELLED'])
  // As in the index `contributors_expires`, which is used only for the same words.
  const isLeft = sql`(${contributors.isGuest} = 1 or ${contributors.tokenHash} is not null)`
  const ended = (which: SQL) =>
    db
      .select({ id: contributors.id })
      .from(contributors)
      .where(and(isLeft, lte(contributors.expiresAt, now()), which))
      .limit(BATCH)
  const done = await db.batch([
    deleteSome(db, mails, mails.id, and(isDone, lte(mails.createdAt, before)), BATCH),
    db
      .delete(idempotencyKeys)
      .where(
        sql`rowid in (select rowid from ${idempotencyKeys} where ${idempotencyKeys.createdAt} <= ${before} limit ${BATCH})`,
      ),
    deleteSome(
      db,
      contributorCodes,
      contributorCodes.requestHash,
      lte(contributorCodes.expiresAt, now()),
      BATCH,
    ),
    deleteSome(db, familyActions, familyActions.id, lte(familyActions.createdAt, keptSince), BATCH),
    deleteSome(db, keeperInvites, keeperInvites.id, lte(keeperInvites.expiresAt, now()), BATCH),
    deleteSome(
      db,
      letInRequests,
      letInRequests.id,
      lte(letInRequests.createdAt, now() - LET_IN_KEPT_MS),
      BATCH,
    ),
    deleteSome(
      db,
      handovers,
      handovers.id,
      and(isNull(handovers.acceptedAt), lte(handovers.expiresAt, now())),
      BATCH,
    ),
    db.delete(contributors).where(inArray(contributors.id, ended(eq(contributors.isGuest, true)))),
    db
      .update(contributors)
      .set({ tokenHash: null })
      .where(inArray(contributors.id, ended(isNotNull(contributors.tokenHash)))),
  ])
  return done.map(({ meta }) => meta.changes)
}
