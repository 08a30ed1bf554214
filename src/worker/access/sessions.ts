import { existsIn } from '#worker/platform/db.ts'
import { not, and, eq, getTableColumns, isNull, type SQL } from 'drizzle-orm'
import type { User } from '#shared/accounts/accounts.ts'
import { AppError } from '#shared/errors.ts'
import { SESSION_ABSOLUTE_MS, SESSION_EXPIRES_MS, SESSION_RENEW_AFTER_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx, RequestCtx, SessionUser } from '#worker/platform/ctx.ts'
import { endedSessions, sessions, users } from '#worker/schema/accounts.table.ts'
import { readOwnCookie, SESSION_COOKIE, setOwnCookie } from '#worker/http/cookies.ts'
import { rememberDevice } from '#worker/access/known-devices.ts'
import { opensConsole } from '#worker/access/second-factor.ts'
import {
  recordSession,
  renewSession,
  type Proofs,
  type SessionRecord,
} from '#worker/access/session-records.ts'
import { hashToken, newToken } from '#worker/platform/random.ts'

const TOKEN = /^[\w-]{43}$/u

type StoredSession = { userId: string; epoch: number; createdAt: number; renewedAt: number }

function sessionKey(sessionHash: string): string {
  return `session:${sessionHash}`
}

async function putSession(ctx: Ctx, token: string, session: StoredSession): Promise<number> {
  // It's renewed now: what was done since then doesn't shorten it.
  const ttlMs = expiryOf(session) - session.renewedAt
  const expirationTtl = Math.max(60, Math.floor(ttlMs / 1000))
  await ctx.env.KV.put(sessionKey(hashToken(token)), JSON.stringify(session), { expirationTtl })
  return expirationTtl
}

/** When this session ends if nobody uses it again. */
function expiryOf({ createdAt, renewedAt }: StoredSession): number {
  return Math.min(renewedAt + SESSION_EXPIRES_MS, createdAt + SESSION_ABSOLUTE_MS)
}

/** KV expires sessions too, but late, so the stored times decide. */
function isExpired({ createdAt, renewedAt }: StoredSession, now: number): boolean {
  return (
    now >= createdAt + SESSION_ABSOLUTE_MS ||
    /* prove: session-idle-limit */ now >= renewedAt + SESSION_EXPIRES_MS
  )
}

/**
 * Creates a session and sets its cookie, and the one that makes the browser a known device. The token is always new, never
 * one from the client (ASVS 7.2.4). `proofs`: what its user has just proved.
 */
export async function createSession(
  ctx: Ctx,
  request: Request,
  headers: Headers,
  user: { id: string; sessionEpoch: number },
  proofs: Proofs = {},
): Promise<void> {
  const token = newToken()
  const at = ctx.now()
  const session = { userId: user.id, epoch: user.sessionEpoch, createdAt: at, renewedAt: at }
  const maxAge = await putSession(ctx, token, session)
  await recordSession(ctx, request, { ...toRecord({ token, session }), ...proofs })
  setOwnCookie(headers, request, SESSION_COOKIE, token, maxAge)
  rememberDevice(ctx, request, headers, user)
}

/** What the user's list keeps of a session. */
export function toRecord({ token, session }: KnownSession): SessionRecord {
  const { userId, epoch, createdAt, renewedAt } = session
  return {
    sessionHash: hashToken(token),
    userId,
    epoch,
    usedAt: renewedAt,
    expiresAt: expiryOf(session),
    createdAt,
  }
}

/** A session that KV knows. D1 decides whether it's still valid: {@link selectSessionUser}. */
export type KnownSession = { token: string; session: StoredSession }

/** The session of the request's cookie as KV has it, or null. */
export async function readSession(
  ctx: Ctx,
  request: Request,
  cookies: Record<string, string>,
): Promise<KnownSession | null> {
  const token = readOwnCookie(request, cookies, SESSION_COOKIE)
  if (!token) return null
  const session = await ctx.env.KV.get<StoredSession>(sessionKey(hashToken(token)), 'json')
  return session && !isExpired(session, ctx.now()) ? { token, session } : null
}

/** Statement: the session's user, if it is valid: no row after a logout, suspension, deletion or with another epoch. */
export function selectSessionUser(ctx: Pick<Ctx, 'db' | 'now'>, known: KnownSession) {
  const columns = { ...getTableColumns(users), opensConsole: opensConsole(ctx, hashToken(known.token)) }
  return ctx.db.select(columns).from(users).where(hasLiveSession(known))
}
type SessionRow = typeof users.$inferSelect & { opensConsole: number }

/** SQL condition on `users`: this is the session's user, and the session is valid at this moment. */
export function hasLiveSession({ token, session }: KnownSession): SQL | undefined {
  return and(
    eq(users.id, session.userId),
    // prove: session-epoch-matches
    eq(users.sessionEpoch, session.epoch),
    // prove: suspended-signed-out
    isNull(users.suspendedAt),
    isNull(users.deletedAt),
    // prove: ended-session-refused
    not(existsIn(endedSessions, eq(endedSessions.sessionHash, hashToken(token)))),
  )
}

/** The user of a valid session, from the row of {@link selectSessionUser}. Renews the session at most daily. */
export async function continueSession(
  ctx: Ctx,
  request: Request,
  headers: Headers,
  { token, session }: KnownSession,
  row: SessionRow,
): Promise<SessionUser> {
  if (ctx.now() - session.renewedAt > SESSION_RENEW_AFTER_MS) {
    const renewed = { ...session, renewedAt: ctx.now() }
    await renewSession(ctx, toRecord({ token, session: renewed }))
    const maxAge = await putSession(ctx, token, renewed)
    setOwnCookie(headers, request, SESSION_COOKIE, token, maxAge)
    rememberDevice(ctx, request, headers, row)
  }
  return toSessionUser(row)
}

/**
 * The user of the session cookie, or null. KV has the user id; one D1 query checks whether the session is valid, so that ending
 * it works at once everywhere.
 */
export async function findSessionUser(
  ctx: Ctx,
  request: Request,
  cookies: Record<string, string>,
  headers: Headers,
): Promise<SessionUser | null> {
  const known = await readSession(ctx, request, cookies)
  if (!known) return null
  const [row] = await selectSessionUser(ctx, known)
  return row ? continueSession(ctx, request, headers, known, row) : null
}

/**
 * Ends the session of this request at once and worldwide. Records it as ended in D1 instead of increasing the user's epoch,
 * so other devices stay signed in; does so even if KV doesn't have it, because a new session may not be replicated yet.
 */
export async function endSession(ctx: RequestCtx): Promise<void> {
  const token = readOwnCookie(ctx.request, ctx.credentials.cookies, SESSION_COOKIE)
  if (!token || !TOKEN.test(token)) return
  const sessionHash = hashToken(token)
  await ctx.db.batch([
    ctx.db
      .insert(endedSessions)
      .values({ sessionHash, expiresAt: ctx.now() + SESSION_ABSOLUTE_MS })
      .onConflictDoNothing(),
    ctx.db.delete(sessions).where(eq(sessions.sessionHash, sessionHash)),
  ])
  await dropCachedSession(ctx, sessionHash)
}

/** After D1 has recorded the end of a session: KV needs it no more. */
export async function dropCachedSession(ctx: Ctx, sessionHash: string): Promise<void> {
  await ctx.env.KV.delete(sessionKey(sessionHash))
}

/** The session of a signed-in request. Throws 401 without one. */
export async function requireSession(ctx: RequestCtx): Promise<KnownSession> {
  const known = await readSession(ctx, ctx.request, ctx.credentials.cookies)
  if (!known) throw new AppError('not_signed_in', messages.login.needed)
  return known
}

export function dropSessionCookie(headers: Headers, request: Request): void {
  setOwnCookie(headers, request, SESSION_COOKIE, '', 0)
}

/** The user of a session, who is an admin only where a second factor was used. */
export function toSessionUser(row: SessionRow): SessionUser {
  const user = toUser(row)
  const isAdmin = user.isAdmin && /* prove: console-needs-second-factor */ row.opensConsole === 1
  return user.isAdmin ? { ...user, isAdmin, needsSecondFactor: !isAdmin } : user
}

/** As the API answers it: whether the account is an admin's, whatever was used in this session. */
export function toApiUser({ id, email, firstName, lastName, isAdmin, needsSecondFactor }: SessionUser): User {
  return { id, email, firstName, lastName, isAdmin: isAdmin || needsSecondFactor === true }
}

/** Converts a row to its API shape. `isAdmin` requires the ADMIN role and a verified address. */
export function toUser(row: typeof users.$inferSelect): User {
  return {
    id: row.id,
    email: row.email,
    firstName: row.firstName,
    lastName: row.lastName,
    isAdmin: row.role === 'ADMIN' && /* prove: admin-confirmed */ row.emailVerifiedAt !== null,
  }
}
