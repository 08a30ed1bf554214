import { and, eq, gt, inArray, isNotNull, isNull, lte, not, notExists, or, sql } from 'drizzle-orm'
import { DAY_MS, HOUR_MS } from '#shared/limits.ts'
import { clearContributorTokens } from '#worker/access/contributor-sessions.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { idempotencyKeys } from '#worker/schema/idempotency.table.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'

const isOfVisitors = and(
  eq(inviteTokens.token, contributors.inviteToken),
  eq(inviteTokens.status, 'VISITORS'),
)

/** So far back every run looks, in case one was missed. */
const UNMAILED_WITHIN_MS = 3 * DAY_MS

/**
 * Forgets the addresses that visitors left in a burst and that got no link, because no browser has done the work for their messages within an hour.
 * Every night: no such address is kept for more than a day. Safe to repeat.
 */
export async function forgetUnmailedAddresses({ db, now }: Ctx): Promise<void> {
  const recent = db
    .select({ id: comments.authorContributorId })
    .from(comments)
    .where(and(gt(comments.createdAt, now() - UNMAILED_WITHIN_MS), lte(comments.createdAt, now() - HOUR_MS)))
  const isMailed = and(eq(mails.subjectId, contributors.id), eq(mails.kind, 'visitor-words'))
  await db
    .update(contributors)
    .set({ email: null })
    .where(
      and(
        inArray(contributors.id, recent),
        isNotNull(contributors.email),
        isNull(contributors.mailTokenHash),
        // Whoever came by an invitation gave theirs for that.
        /* prove: only-visitors-addresses-forgotten */ existsIn(inviteTokens, isOfVisitors),
        /* prove: mailed-address-stays */ not(existsIn(mails, isMailed)),
      ),
    )
}

/**
 * Deletes the visitors of a public page who wrote these, with name, address, session and mailed link, if nothing else of theirs is left. Whoever
 * is blocked stays: the block needs them. Call it after words were deleted for good. Safe to repeat.
 */
export async function forgetVisitorsOf(
  ctx: Ctx,
  deleted: { id: string; contributorId: string | null }[],
): Promise<void> {
  if (deleted.length === 0) return
  const { db } = ctx
  const items = JSON.stringify(deleted.map(({ id, contributorId }) => ({ id, by: contributorId })))
  const people = sql`(select value ->> 'by' from json_each(${items}))`
  const wordsOf = db.select({ id: comments.id }).from(comments)
  const removedOf = db.select({ id: removedItems.id }).from(removedItems)
  /** SQL: of `people` those who aren't there, and what they wrote. */
  const gone = (name: 'id' | 'by') =>
    sql`(select value ->> ${name} from json_each(${items}) where value ->> 'by' not in (select ${contributors.id} from ${contributors} where ${contributors.id} in ${people}))`
  const [forgotten] = await db.batch([
    db
      .delete(contributors)
      .where(
        and(
          sql`${contributors.id} in ${people}`,
          /* prove: only-visitors-forgotten */ existsIn(inviteTokens, isOfVisitors),
          isNull(contributors.blockedAt),
          /* prove: visitor-with-words-stays */ notExists(
            wordsOf.where(eq(comments.authorContributorId, contributors.id)),
          ),
          notExists(removedOf.where(eq(removedItems.contributorId, contributors.id))),
        ),
      )
      .returning({ session: contributors.tokenHash, mailed: contributors.mailTokenHash }),
    db.delete(mails).where(sql`${mails.subjectId} in ${gone('by')}`),
    db
      .delete(idempotencyKeys)
      .where(
        or(
          sql`${idempotencyKeys.actorId} in ${gone('by')}`,
          sql`${idempotencyKeys.resultId} in ${gone('id')}`,
        ),
      ),
  ])
  await clearContributorTokens(
    ctx,
    forgotten.flatMap(({ session, mailed }) => [session, mailed]),
  )
}
