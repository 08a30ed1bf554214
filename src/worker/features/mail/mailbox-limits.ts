import { mailboxKey } from '#worker/platform/mailbox-key.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'
import type { mails } from '#worker/schema/mail.table.ts'

type MailboxLimit = 'alreadyRegisteredMails' | 'visitorWordsMails' | 'replyMails'

/**
 * Counts a mail that strangers can cause, and returns true if its mailbox has had as many as this limit allows. Counted at the first attempt
 * only: a retry, or an admin's, must not lose the mail.
 */
export async function isMailboxFull(
  ctx: Ctx,
  { attempts, lastError, recipient }: typeof mails.$inferSelect,
  limit: MailboxLimit,
): Promise<boolean> {
  if (attempts !== 1 || lastError !== null) return false
  return (await countRateLimit(ctx, limit, mailboxKey(recipient))) > 0
}
