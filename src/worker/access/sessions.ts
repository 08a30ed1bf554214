import { and, eq, isNull, notExists } from 'drizzle-orm'
import type { User } from '#shared/accounts.ts'
import { SESSION_ABSOLUTE_MS, SESSION_EXPIRES_MS, SESSION_RENEW_AFTER_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { endedSessions, users } from '#worker/schema/accounts.table.ts'
import { ownCookie, SESSION_COOKIE, setOwnCookie } from '#worker/http/cookies.ts'
import { hashToken, newToken } from '#worker/platform/random.ts'

const TOKEN = /^[\w-]{43}$/u

type StoredSession = { userId: string; epoch: number; createdAt: number; renewedAt: number }

function sessionKey(token: string): string {
  return `session:${hashToken(token)}`
}

async function putSession(ctx: Ctx, token: string, session: StoredSession): Promise<number> {
  const ttlMs = Math.min(SESSION_EXPIRES_MS, session.createdAt + SESSION_ABSOLUTE_MS - ctx.now())
  const expirationTtl = Math.max(60, Math.floor(ttlMs / 1000))
  await ctx.env.KV.put(sessionKey(token), JSON.stringify(session), { expirationTtl })
  return expirationTtl
}

/** KV forgets a session too, but late; the times written in it decide. */
function hasRunOut({ createdAt, renewedAt }: StoredSession, now: number): boolean {
  return now >= createdAt + SESSION_ABSOLUTE_MS || now >= renewedAt + SESSION_EXPIRES_MS
}

/** Starts a session and sets its cookie. Always a new id: what the client sent is never adopted (ASVS 7.2.4). */
export async function createSession(
  ctx: Ctx,
  request: Request,
  headers: Headers,
  user: { id: string; sessionEpoch: number },
): Promise<void> {
  const token = newToken()
  const at = ctx.now()
  const maxAge = await putSession(ctx, token, {
    userId: user.id,
    epoch: user.sessionEpoch,
    createdAt: at,
    renewedAt: at,
  })
  setOwnCookie(headers, request, SESSION_COOKIE, token, maxAge)
}

/**
 * The user of the session cookie, or null. KV says who; D1 decides in one query whether the session still holds (epoch,
 * logout, suspension, deletion), so that ending sessions works at once everywhere. Renews the session at most daily.
 */
export async function findSessionUser(
  ctx: Ctx,
  request: Request,
  cookies: Record<string, string>,
  headers: Headers,
): Promise<User | null> {
  const token = ownCookie(request, cookies, SESSION_COOKIE)
  if (!token) return null
  const session = await ctx.env.KV.get<StoredSession>(sessionKey(token), 'json')
  if (!session || hasRunOut(session, ctx.now())) return null
  const [row] = await ctx.db
    .select()
    .from(users)
    .where(
      and(
        eq(users.id, session.userId),
        eq(users.sessionEpoch, session.epoch),
        isNull(users.suspendedAt),
        isNull(users.deletedAt),
        notExists(
          ctx.db
            .select()
            .from(endedSessions)
            .where(eq(endedSessions.sessionHash, hashToken(token))),
        ),
      ),
    )
  if (!row) return null
  if (ctx.now() - session.renewedAt > SESSION_RENEW_AFTER_MS) {
    const maxAge = await putSession(ctx, token, { ...session, renewedAt: ctx.now() })
    setOwnCookie(headers, request, SESSION_COOKIE, token, maxAge)
  }
  return toUser(row)
}

/**
 * Ends the session of this request's cookie, at once and worldwide. Other devices stay signed in: the session is written
 * down as ended in D1 instead of raising the user's epoch. It is written down even where KV does not show the session,
 * because a young one may not be known at this edge yet.
 */
export async function endSession(ctx: Ctx, request: Request, cookies: Record<string, string>): Promise<void> {
  const token = ownCookie(request, cookies, SESSION_COOKIE)
  if (!token || !TOKEN.test(token)) return
  await ctx.db
    .insert(endedSessions)
    .values({ sessionHash: hashToken(token), expiresAt: ctx.now() + SESSION_ABSOLUTE_MS })
    .onConflictDoNothing()
  await ctx.env.KV.delete(sessionKey(token))
}

/** Takes the session cookie from the browser. */
export function dropSessionCookie(headers: Headers, request: Request): void {
  setOwnCookie(headers, request, SESSION_COOKIE, '', 0)
}

/** Row to wire. `isAdmin` is the role column of a confirmed address, nothing else. */
export function toUser(row: typeof users.$inferSelect): User {
  return {
    id: row.id,
    email: row.email,
    firstName: row.firstName,
    lastName: row.lastName,
    isAdmin: row.role === 'ADMIN' && row.emailVerifiedAt !== null,
  }
}
