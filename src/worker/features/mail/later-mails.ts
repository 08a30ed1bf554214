import { and, asc, count, isNull, lte, sql } from 'drizzle-orm'
import { LATER_MAILS_MAX, LATER_RUN_MS, LATER_TRIES_MAX, NOW_MAIL_GRACE_MS } from '#shared/limits.ts'
import { markMailDead, requireApiKey, sendMail } from '#worker/features/mail/mail.jobs.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { mails } from '#worker/schema/mail.table.ts'

/** A run ends after so many failures: the provider is probably down, and the next run is a minute away. */
const FAILURES_MAX = 5

/** SQL condition in the words of the index `mails_waiting`, which is used only for the same ones. */
function isQueued(priority: 'NOW' | 'LATER') {
  return sql`${mails.status} = 'QUEUED' and ${mails.priority} = ${priority}`
}

/**
 * Sends mails that can wait, oldest first: a bounded number per run, one after the other, outside the queue in which the others are. Stops as soon as one
 * of those waits. Safe to repeat, run concurrently or kill: each mail is claimed, as by {@link sendMail}.
 */
export async function sendLaterMails(ctx: Ctx): Promise<void> {
  const endsAt = ctx.now() + LATER_RUN_MS
  const due = await ctx.db
    .select({ id: mails.id, attempts: mails.attempts })
    .from(mails)
    .where(
      and(
        isQueued('LATER'),
        // Longer after each failure.
        sql`coalesce(${mails.claimedUntil}, ${mails.createdAt})
          <= ${ctx.now()} - iif(${mails.attempts} = 0, 0, 10000 * (1 << min(${mails.attempts}, 9)))`,
      ),
    )
    .orderBy(asc(mails.createdAt), asc(mails.id))
    .limit(LATER_MAILS_MAX)
  if (due.length === 0 || requireApiKey(ctx) === null) return
  let failures = 0
  for (const { id, attempts } of due) {
    if (ctx.now() >= endsAt || failures >= FAILURES_MAX || (await isAnyWaiting(ctx))) return
    try {
      await sendMail(ctx, id)
    } catch (error) {
      failures++
      ctx.log.error('later_mail_failed', error, { mailId: id, attempts: attempts + 1 })
      if (attempts + 1 >= LATER_TRIES_MAX) await markMailDead(ctx, id)
    }
  }
}

/** Whether the queue doesn't keep up with the mails that can't wait. One that failed, or is held back by its limit, doesn't count: it may be the mail's own fault. */
async function isAnyWaiting(ctx: Ctx): Promise<boolean> {
  const [waiting] = await ctx.db
    .select({ amount: count() })
    .from(mails)
    .where(
      and(
        /* prove: later-mails-wait */ isQueued('NOW'),
        lte(mails.createdAt, ctx.now() - NOW_MAIL_GRACE_MS),
        sql`${mails.attempts} = 0`,
        isNull(mails.claimedUntil),
      ),
    )
  return (waiting?.amount ?? 0) > 0
}
