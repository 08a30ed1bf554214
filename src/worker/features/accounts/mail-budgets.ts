import { accountAnswers } from '#shared/accounts/account-answers.ts'
import { networkOf } from '#worker/access/guards.ts'
import { AppError } from '#shared/errors.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { mailboxKey } from '#worker/platform/mailbox-key.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'

/**
 * Counts a mail that confirms an address, whether or not the address has an account. Each network has a budget of its own for a
 * mailbox, so that a stranger can't use up the owner's. Returns the seconds to wait; 0: the mail may be sent.
 */
export async function countVerificationMail(ctx: RequestCtx, email: string): Promise<number> {
  const network = networkOf(ctx.ip, 3)
  const wait = await countRateLimit(ctx, 'verificationMails', `${network} ${mailboxKey(email)}`)
  // Against a mail bomb from many networks. By address: whoever meets it has links to this very account in the mailbox. All
  // `+…` of a mailbox count together, because a stranger can invent any number of them.
  const target = email.includes('+') ? `${mailboxKey(email)}+` : email
  return wait > 0 ? wait : countRateLimit(ctx, 'verificationMailsToAddress', target)
}

/** Like {@link countVerificationMail}, or throws 429 with words that claim no mail. */
export async function requireVerificationMail(ctx: RequestCtx, email: string): Promise<void> {
  const retryAfterSec = await countVerificationMail(ctx, email)
  if (retryAfterSec > 0) {
    throw new AppError('too_many_requests', accountAnswers.manyMails, { retryAfterSec })
  }
}
