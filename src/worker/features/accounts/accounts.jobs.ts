import { and, asc, inArray, isNull, lte } from 'drizzle-orm'
import { UNVERIFIED_ACCOUNT_EXPIRES_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import {
  accountTokens,
  emailChanges,
  endedSessions,
  registrations,
  sessions,
  users,
} from '#worker/schema/accounts.table.ts'
import { usedChallenges } from '#worker/schema/passkeys.table.ts'
import { mails } from '#worker/schema/mail.table.ts'

/** The most rows of each kind that one run deletes. */
const DELETE_MAX = 5000
/** Used tokens are stored this long after they expire, so that opening a link again still gets the right answer. */
const TOKEN_RETENTION_MS = UNVERIFIED_ACCOUNT_EXPIRES_MS

/** Deletes accounts not confirmed within 7 days, and expired tokens, challenges and records of sessions. Bounded per run. */
export async function removeUnverifiedAccounts(ctx: Ctx): Promise<void> {
  const now = ctx.now()
  const unverifiedUsers = ctx.db
    .select({ id: users.id })
    .from(users)
    .where(and(isNull(users.emailVerifiedAt), lte(users.createdAt, now - UNVERIFIED_ACCOUNT_EXPIRES_MS)))
    .orderBy(asc(users.createdAt), asc(users.id))
    .limit(DELETE_MAX)
  const oldTokens = ctx.db
    .select({ tokenHash: accountTokens.tokenHash })
    .from(accountTokens)
    .where(lte(accountTokens.expiresAt, now - TOKEN_RETENTION_MS))
    .limit(DELETE_MAX)
  const oldRegistrations = ctx.db
    .select({ id: registrations.id })
    .from(registrations)
    .where(lte(registrations.expiresAt, now - TOKEN_RETENTION_MS))
    .limit(DELETE_MAX)
  const oldSessions = ctx.db
    .select({ sessionHash: endedSessions.sessionHash })
    .from(endedSessions)
    .where(lte(endedSessions.expiresAt, now))
    .limit(DELETE_MAX)
  const expiredSessions = ctx.db
    .select({ id: sessions.id })
    .from(sessions)
    .where(lte(sessions.expiresAt, now))
    .limit(DELETE_MAX)
  const oldChanges = ctx.db
    .select({ id: emailChanges.id })
    .from(emailChanges)
    .where(lte(emailChanges.expiresAt, now - TOKEN_RETENTION_MS))
    .limit(DELETE_MAX)
  const oldChallenges = ctx.db
    .select({ challengeHash: usedChallenges.challengeHash })
    .from(usedChallenges)
    .where(lte(usedChallenges.expiresAt, now))
    .limit(DELETE_MAX)
  const [, removed] = await ctx.db.batch([
    ctx.db.delete(mails).where(inArray(mails.subjectId, unverifiedUsers)),
    ctx.db.delete(users).where(inArray(users.id, unverifiedUsers)).returning({ id: users.id }),
    ctx.db.delete(accountTokens).where(inArray(accountTokens.tokenHash, oldTokens)),
    ctx.db.delete(registrations).where(inArray(registrations.id, oldRegistrations)),
    ctx.db.delete(endedSessions).where(inArray(endedSessions.sessionHash, oldSessions)),
    ctx.db.delete(emailChanges).where(inArray(emailChanges.id, oldChanges)),
    ctx.db.delete(sessions).where(inArray(sessions.id, expiredSessions)),
    ctx.db.delete(usedChallenges).where(inArray(usedChallenges.challengeHash, oldChallenges)),
  ])
  if (removed.length > 0) ctx.log.info('unverified_accounts_removed', { count: removed.length })
}
