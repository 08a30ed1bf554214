import { and, asc, eq, isNull, lte, or, sql } from 'drizzle-orm'
import { MINUTE_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { mailboxKey } from '#worker/platform/mailbox-key.ts'
import { composeMail } from '#worker/features/mail/compose.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { count } from '#worker/platform/metrics.ts'
import { deliverMail } from '#worker/platform/providers/mail.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'
import { sandboxProblem } from '#worker/platform/providers/provider-origins.ts'

/** Longer than a delivery may take, so that two consumers never send the same mail in parallel. */
const CLAIM_MS = MINUTE_MS
/** A row queued this long has lost its queue message (after a crash or a queue outage). */
const LOST_AFTER_MS = MINUTE_MS
const DRAIN_MAX = 100
const ERROR_MAX = 500

type MailRow = typeof mails.$inferSelect

/** Safe to repeat: skips a mail that is done or claimed. A failure is stored and thrown: the queue retries. */
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
    if (await isHeldBack(ctx, mail)) return
    const content = await composeMail(ctx, mail)
    if (content === null) {
      await updateQueuedMail(ctx, mailId, { status: 'CANCELLED', claimedUntil: null })
      return
    }
    await deliverMail(ctx.env, apiKey, { ...content, id: mail.id, to: mail.recipient })
  } catch (error) {
    const lastError = String(error).slice(0, ERROR_MAX)
    await updateQueuedMail(ctx, mailId, { lastError, claimedUntil: ctx.now() })
    throw error
  }
  await updateQueuedMail(ctx, mailId, {
    status: 'SENT',
    sentAt: ctx.now(),
    claimedUntil: null,
    lastError: null,
  })
  count(ctx, 'mail_sent', { kind: mail.kind })
}

/** Mails that strangers can cause without signing in. */
export const STRANGERS_MAILS = [
  'verify',
  'already-registered',
  'email-change-new',
  'email-change-taken',
  'reset',
  'contact',
  'visitor-words',
  'contributor-code',
  'reply',
  'follow-confirm',
] as const

/**
 * Above the hourly limit of its kind a mail stays in the outbox until there is room; cron sends it then. Each kind has a limit of
 * its own, so that a flood of registrations delays no reset. A change of a gathering waits for room in its mailbox: it must not be lost.
 */
async function isHeldBack(ctx: Ctx, mail: MailRow): Promise<boolean> {
  if (mail.attempts !== 1) return false
  const waitSec = await secondsToWait(ctx, mail)
  if (waitSec === 0) return false
  await updateQueuedMail(ctx, mail.id, { attempts: 0, claimedUntil: ctx.now() + waitSec * 1000 })
  return true
}

async function secondsToWait(ctx: Ctx, { id, kind, subjectId, recipient }: MailRow): Promise<number> {
  if (kind === 'gathering-changed') return countRateLimit(ctx, 'gatheringMails', mailboxKey(recipient))
  if (!STRANGERS_MAILS.some((one) => one === kind)) return 0
  // Strangers can make unconfirmed accounts in any number, and ask for resets of them.
  const counted = kind === 'reset' && !(await isConfirmed(ctx, subjectId)) ? 'verify' : kind
  const waitSec = await countRateLimit(ctx, 'strangersMails', counted)
  if (waitSec > 0)
    ctx.log.error('mail_limit_reached', 'more mails were asked for than the hourly limit: they wait', {
      mailId: id,
      kind,
    })
  return waitSec
}

async function isConfirmed(ctx: Ctx, userId: string): Promise<boolean> {
  const [user] = await ctx.db.select({ at: users.emailVerifiedAt }).from(users).where(eq(users.id, userId))
  return !!user?.at
}

/** Marks a mail as dead after the last attempt and logs it; admins see it among the dead letters. */
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

/** Requeues mails whose queue message was lost, oldest first. The queue itself retries those that failed, later. {@link sendLaterMails} sends those of low priority. */
export async function drainMailOutbox(ctx: Ctx): Promise<void> {
  const lostMails = await ctx.db
    .select({ id: mails.id })
    .from(mails)
    .where(
      and(
        sql`${mails.status} = 'QUEUED'`,
        /* prove: later-mails-not-queued */ sql`${mails.priority} = 'NOW'`,
        sql`coalesce(${mails.claimedUntil}, ${mails.createdAt})
          <= ${ctx.now() - LOST_AFTER_MS} - 10000 * (1 << min(${mails.attempts}, 9))`,
      ),
    )
    .orderBy(asc(mails.createdAt), asc(mails.id))
    .limit(DRAIN_MAX)
  if (lostMails.length === 0 || requireApiKey(ctx) === null) return
  await ctx.enqueue(...lostMails.map(({ id }) => ({ type: 'send-mail' as const, mailId: id })))
}

async function updateQueuedMail(
  ctx: Ctx,
  mailId: string,
  change: Partial<typeof mails.$inferSelect>,
): Promise<void> {
  await ctx.db
    .update(mails)
    .set(change)
    .where(and(eq(mails.id, mailId), eq(mails.status, 'QUEUED')))
}

/** The key of the mail service; null, with a line in the log, if mails can't be sent. */
export function requireApiKey(ctx: Ctx): string | null {
  const problem = sandboxProblem(ctx.env, 'mail')
  if (problem) {
    ctx.log.error('mail_address_refused', `${problem}: mails stay in the outbox`)
    return null
  }
  const apiKey = ctx.env.MAILCHANNELS_API_KEY
  if (apiKey) return apiKey
  ctx.log.error('mail_key_missing', 'MAILCHANNELS_API_KEY is not set: mails stay in the outbox')
  return null
}
