import { and, asc, inArray, isNull, lte } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { UNVERIFIED_ACCOUNT_EXPIRES_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { deleteSome } from '#worker/platform/db.ts'
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
  const deleteUntil = (table: SQLiteTable, key: SQLiteColumn, expiresAt: SQLiteColumn, until: number) =>
    deleteSome(ctx.db, table, key, lte(expiresAt, until), DELETE_MAX)
  const tokensUntil = now - TOKEN_RETENTION_MS
  const [, removed] = await ctx.db.batch([
    ctx.db.delete(mails).where(inArray(mails.subjectId, unverifiedUsers)),
    ctx.db.delete(users).where(inArray(users.id, unverifiedUsers)).returning({ id: users.id }),
    deleteUntil(accountTokens, accountTokens.tokenHash, accountTokens.expiresAt, tokensUntil),
    deleteUntil(registrations, registrations.id, registrations.expiresAt, tokensUntil),
    deleteUntil(endedSessions, endedSessions.sessionHash, endedSessions.expiresAt, now),
    deleteUntil(emailChanges, emailChanges.id, emailChanges.expiresAt, tokensUntil),
    deleteUntil(sessions, sessions.id, sessions.expiresAt, now),
    deleteUntil(usedChallenges, usedChallenges.challengeHash, usedChallenges.expiresAt, now),
  ])
  if (removed.length > 0) ctx.log.info('unverified_accounts_removed', { count: removed.length })
}
