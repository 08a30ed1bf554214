import { and, asc, eq, isNull, lte, or, sql } from 'drizzle-orm'
import { MINUTE_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { composeMail } from '#worker/features/mail/compose.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { count } from '#worker/platform/metrics.ts'
import { deliverMail } from '#worker/platform/mail.ts'
import { sandboxProblem } from '#worker/platform/provider-origins.ts'

/** Longer than a delivery may take, so that two consumers never send the same mail side by side. */
const CLAIM_MS = MINUTE_MS
/** A row that waits this long has lost its queue message (a crash, a queue that was down). */
const LOST_AFTER_MS = MINUTE_MS
const DRAIN_MAX = 100
const ERROR_MAX = 500

/**
 * Sends one mail of the outbox. Safe to repeat: a mail that is sent, cancelled, dead, or in another consumer's hands is
 * left alone. Throws when it could not be delivered, so that the queue tries again with growing delay; the error is kept
 * in the row. Without MAILCHANNELS_API_KEY, or with a sandbox where people use the product, the row waits.
 */
export async function sendMail(ctx: Ctx, mailId: string): Promise<void> {
  const apiKey = requireApiKey(ctx)
  if (apiKey === null) return
  const now = ctx.now()
  const [mail] = await ctx.db
    .update(mails)
    .set({ claimedUntil: now + CLAIM_MS, attempts: sql`${mails.attempts} + 1` })
    .where(
      and(
        eq(mails.id, mailId),
        eq(mails.status, 'QUEUED'),
        or(isNull(mails.claimedUntil), lte(mails.claimedUntil, now)),
      ),
    )
    .returning()
  if (!mail) return
  try {
    const content = await composeMail(ctx, mail)
    if (content === null) {
      await settle(ctx, mailId, { status: 'CANCELLED', claimedUntil: null })
      return
    }
    await deliverMail(ctx.env, apiKey, { ...content, id: mail.id, to: mail.recipient })
  } catch (error) {
    const lastError = String(error).slice(0, ERROR_MAX)
    await settle(ctx, mailId, { lastError, claimedUntil: ctx.now() })
    throw error
  }
  await settle(ctx, mailId, { status: 'SENT', sentAt: ctx.now(), claimedUntil: null, lastError: null })
  count(ctx, 'mail_sent', { kind: mail.kind })
}

/** After the last try: the mail waits among the dead letters, where an admin sees it. */
export async function markMailDead(ctx: Ctx, mailId: string): Promise<void> {
  const [mail] = await ctx.db
    .update(mails)
    .set({ status: 'DEAD', claimedUntil: null })
    .where(and(eq(mails.id, mailId), eq(mails.status, 'QUEUED')))
    .returning({ kind: mails.kind, lastError: mails.lastError, attempts: mails.attempts })
  if (!mail) return
  count(ctx, 'mail_dead', { kind: mail.kind })
  ctx.log.error('mail_dead', mail.lastError, { mailId, kind: mail.kind, attempts: mail.attempts })
}

/**
 * Puts mails back into the queue whose message was lost. One that failed before is given time for the queue's own next
 * try, which comes later each time. Bounded a run; oldest first.
 */
export async function drainMailOutbox(ctx: Ctx): Promise<void> {
  const lost = await ctx.db
    .select({ id: mails.id })
    .from(mails)
    .where(
      and(
        eq(mails.status, 'QUEUED'),
        sql`coalesce(${mails.claimedUntil}, ${mails.createdAt})
          <= ${ctx.now() - LOST_AFTER_MS} - 10000 * (1 << min(${mails.attempts}, 9))`,
      ),
    )
    .orderBy(asc(mails.createdAt), asc(mails.id))
    .limit(DRAIN_MAX)
  if (lost.length === 0 || requireApiKey(ctx) === null) return
  await ctx.enqueue(...lost.map(({ id }) => ({ type: 'send-mail' as const, mailId: id })))
}

async function settle(ctx: Ctx, mailId: string, change: Partial<typeof mails.$inferSelect>): Promise<void> {
  await ctx.db
    .update(mails)
    .set(change)
    .where(and(eq(mails.id, mailId), eq(mails.status, 'QUEUED')))
}

function requireApiKey(ctx: Ctx): string | null {
  const problem = sandboxProblem(ctx.env, 'mail')
  if (problem) {
    ctx.log.error('mail_address_refused', `${problem}: mails wait in the outbox`)
    return null
  }
  const apiKey = ctx.env.MAILCHANNELS_API_KEY
  if (apiKey) return apiKey
  ctx.log.error('mail_key_missing', 'MAILCHANNELS_API_KEY is not set: mails wait in the outbox')
  return null
}
