import { and, asc, inArray, isNull, lte } from 'drizzle-orm'
import { UNVERIFIED_ACCOUNT_EXPIRES_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { accountTokens, endedSessions, users } from '#worker/schema/accounts.table.ts'
import { mails } from '#worker/schema/mail.table.ts'

/** Rows of each kind that one run removes. */
const REMOVED_MAX = 500
/** Used links are remembered a while longer, so that opening one again is answered rightly. */
const TOKEN_KEPT_MS = UNVERIFIED_ACCOUNT_EXPIRES_MS

/**
 * Removes accounts that nobody confirmed within 7 days, with their mails; tokens long expired; and records of sessions
 * that could not be alive any more. Bounded a run, safe to repeat.
 */
export async function removeUnverifiedAccounts(ctx: Ctx): Promise<void> {
  const now = ctx.now()
  const forgotten = ctx.db
    .select({ id: users.id })
    .from(users)
    .where(and(isNull(users.emailVerifiedAt), lte(users.createdAt, now - UNVERIFIED_ACCOUNT_EXPIRES_MS)))
    .orderBy(asc(users.createdAt), asc(users.id))
    .limit(REMOVED_MAX)
  const oldTokens = ctx.db
    .select({ tokenHash: accountTokens.tokenHash })
    .from(accountTokens)
    .where(lte(accountTokens.expiresAt, now - TOKEN_KEPT_MS))
    .limit(REMOVED_MAX)
  const oldSessions = ctx.db
    .select({ sessionHash: endedSessions.sessionHash })
    .from(endedSessions)
    .where(lte(endedSessions.expiresAt, now))
    .limit(REMOVED_MAX)
  const [, removed] = await ctx.db.batch([
    ctx.db.delete(mails).where(inArray(mails.subjectId, forgotten)),
    ctx.db.delete(users).where(inArray(users.id, forgotten)).returning({ id: users.id }),
    ctx.db.delete(accountTokens).where(inArray(accountTokens.tokenHash, oldTokens)),
    ctx.db.delete(endedSessions).where(inArray(endedSessions.sessionHash, oldSessions)),
  ])
  if (removed.length > 0) ctx.log.info('unverified_accounts_removed', { count: removed.length })
}
