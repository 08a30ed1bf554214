import { and, desc, eq, getTableColumns, gt, ne, not, sql } from 'drizzle-orm'
import type { AccountSession } from '#shared/accounts/accounts.ts'
import { AppError } from '#shared/errors.ts'
import { DAY_MS, SESSION_ABSOLUTE_MS, SESSIONS_LISTED_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { sessionMessages } from '#shared/accounts/session-messages.ts'
import { countryName } from '#worker/access/device-label.ts'
import { renewRecord } from '#worker/access/session-records.ts'
import {
  createSession,
  dropCachedSession,
  hasLiveSession,
  requireSession,
  toRecord,
} from '#worker/access/sessions.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { endedSessions, sessions, users } from '#worker/schema/accounts.table.ts'

/** Statement: the user's live sessions, the one with this hash first, then those used last. */
function selectSessions(ctx: Ctx, userId: string, currentHash: string) {
  const isCurrent = sql`${sessions.sessionHash} = ${currentHash}`
  const isEnded = existsIn(endedSessions, eq(endedSessions.sessionHash, sessions.sessionHash))
  return ctx.db
    .select({ ...getTableColumns(sessions), isCurrent: sql<number>`${isCurrent}` })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        // prove: sessions-listed-to-their-user
        eq(sessions.userId, userId),
        eq(sessions.epoch, users.sessionEpoch),
        gt(sessions.expiresAt, ctx.now()),
        not(isEnded),
      ),
    )
    .orderBy(desc(isCurrent), desc(sessions.usedAt), desc(sessions.createdAt))
    .limit(SESSIONS_LISTED_MAX)
}

/** The account's live sessions. No answer contains a token or its hash. */
export async function listSessions(ctx: RequestCtx): Promise<AccountSession[]> {
  const known = await requireSession(ctx)
  const record = toRecord(known)
  const [, rows] = await ctx.db.batch([
    renewRecord(ctx, record),
    selectSessions(ctx, record.userId, record.sessionHash),
  ])
  return rows.map((row) => Object.assign({ id: row.id, isCurrent: row.isCurrent === 1 }, toShown(ctx, row)))
}

/** The same for the copy of a user's data. */
export async function exportSessions(ctx: Ctx, userId: string): Promise<ShownSession[]> {
  return (await selectSessions(ctx, userId, '')).map((row) => toShown(ctx, row))
}

type ShownSession = Omit<AccountSession, 'id' | 'isCurrent'>

function toShown(ctx: Ctx, row: typeof sessions.$inferSelect): ShownSession {
  return {
    device: row.device,
    country: row.country && countryName(row.country),
    signedInAt: new Date(row.createdAt).toISOString(),
    lastUsed: lastUsed(ctx.now() - row.usedAt),
  }
}

/** A session in use is renewed daily: its last use is less than a day after that. */
function lastUsed(ageMs: number): AccountSession['lastUsed'] {
  if (ageMs <= DAY_MS) return 'DAY'
  return ageMs <= 7 * DAY_MS ? 'WEEK' : 'MONTH'
}

/**
 * Ends another session of the account at once and worldwide. Throws `not_found` for the asking one, one that has ended, and one
 * of somebody else; `not_signed_in` if the asking one ends at the same moment.
 */
export async function endOtherSession(ctx: RequestCtx, id: string): Promise<void> {
  const known = await requireSession(ctx)
  const { userId, sessionHash } = toRecord(known)
  const isTarget = and(
    eq(sessions.id, id),
    // prove: only-own-session-ended
    eq(sessions.userId, userId),
    ne(sessions.sessionHash, sessionHash),
    // prove: ended-session-ends-none
    existsIn(users, hasLiveSession(known)),
  )!
  const target = sql`(select ${sessions.sessionHash} from ${sessions} where ${isTarget})`
  const ended = { sessionHash: '', expiresAt: ctx.now() + SESSION_ABSOLUTE_MS }
  const [, [gone]] = await ctx.db.batch([
    insertWhere(ctx.db, endedSessions, ended, sql`${target} is not null`, {
      sessionHash: target,
    }).onConflictDoNothing(),
    ctx.db.delete(sessions).where(isTarget).returning({ sessionHash: sessions.sessionHash }),
  ])
  if (!gone) throw new AppError('not_found', sessionMessages.notFound)
  await dropCachedSession(ctx, gone.sessionHash)
}

/**
 * Ends every other session of the account, also those that no list shows, and gives this browser a new one. Of two sessions that
 * end each other at once, one wins. Throws `not_signed_in` for the other.
 */
export async function endOtherSessions(ctx: RequestCtx, headers: Headers): Promise<void> {
  const known = await requireSession(ctx)
  const [account] = await ctx.db
    .update(users)
    .set({ sessionEpoch: sql`${users.sessionEpoch} + 1` })
    .where(/* prove: ended-session-ends-no-others */ hasLiveSession(known))
    .returning({ id: users.id, sessionEpoch: users.sessionEpoch })
  if (!account) throw new AppError('not_signed_in', messages.login.needed)
  await createSession(ctx, ctx.request, headers, account)
}
