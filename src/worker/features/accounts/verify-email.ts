import { and, eq, isNull, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { isOpenToken, userOfOpenToken } from '#worker/features/accounts/account-tokens.ts'
import { accountTokens, users } from '#worker/schema/accounts.table.ts'
import { hashToken } from '#worker/platform/random.ts'

/**
 * Confirms the address that a link was sent to. Opening the link again succeeds too, because mail scanners open links. It
 * never creates a session (ASVS 7.6.2). Throws `link_used` or `link_expired`.
 */
export async function verifyEmail(ctx: Ctx, token: string): Promise<void> {
  const at = ctx.now()
  const [, used] = await ctx.db.batch([
    ctx.db
      .update(users)
      .set({ emailVerifiedAt: at, sessionEpoch: sql`${users.sessionEpoch} + 1`, updatedAt: at })
      .where(and(eq(users.id, userOfOpenToken(ctx, token, 'VERIFY')), isNull(users.emailVerifiedAt))),
    ctx.db
      .update(accountTokens)
      .set({ usedAt: at })
      .where(isOpenToken(ctx, token, 'VERIFY'))
      .returning({ userId: accountTokens.userId }),
  ])
  if (used.length > 0) return
  const [known] = await ctx.db
    .select({ usedAt: accountTokens.usedAt, emailVerifiedAt: users.emailVerifiedAt })
    .from(accountTokens)
    .innerJoin(users, eq(users.id, accountTokens.userId))
    .where(and(eq(accountTokens.tokenHash, hashToken(token)), eq(accountTokens.kind, 'VERIFY')))
  if (known?.usedAt && known.emailVerifiedAt) return
  throw new AppError(known?.usedAt ? 'link_used' : 'link_expired', messages.verify.invalid)
}
