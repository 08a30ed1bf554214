import { eq, sql, type SQL } from 'drizzle-orm'
import { VISITOR_SESSION_EXPIRES_MS } from '#shared/limits.ts'
import {
  keepWordsOfBefore,
  renewVisitorSession,
  setContributorCookie,
  storeContributorToken,
  type LiveContributor,
} from '#worker/access/contributor-sessions.ts'
import { visitorsLink, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { linkToken, unknownBrowser } from '#worker/access/pepper.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { insertWhere } from '#worker/platform/db.ts'
import { hashToken, newId } from '#worker/platform/random.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'

/**
 * Whether whoever writes now, and gives this address or none, is the visitor of this browser's session. With another address they aren't: a phone goes
 * from hand to hand, and the link mailed to one person must not open the words of another.
 */
export async function isSameVisitor(
  ctx: RequestCtx,
  own: LiveContributor,
  address: string | undefined,
): Promise<boolean> {
  // Whoever came by an invitation gets no link.
  if (!own.isVisitor) return true
  const [row] = await ctx.db
    .select({ email: contributors.email })
    .from(contributors)
    .where(eq(contributors.id, own.id))
  // prove: link-of-one-visitor
  return (row?.email ?? null) === (address || null)
}

export function newVisitor(memorialId: string, displayName: string): LiveContributor {
  const inviteToken = visitorsLink(memorialId)
  return { id: newId('contributor'), memorialId, inviteToken, displayName, isGuest: false, isVisitor: true }
}

/** The first token of a visitor's session: the same each time, so that of two answers which cross neither ends the other's session. */
export function sessionToken(ctx: RequestCtx, visitorId: string): string {
  return linkToken(ctx, 'visitor-session', visitorId)
}

/**
 * Stores a visitor if the page is still open to them. `before`: who wrote in this browser until now. Returns the token of the new session, which
 * {@link storeToken} starts.
 */
export async function insertVisitor(
  ctx: RequestCtx,
  { id, memorialId, inviteToken, displayName, isGuest }: LiveContributor,
  before: LiveContributor | null,
  isOpen: SQL,
): Promise<string> {
  const authToken = sessionToken(ctx, id)
  const createdAt = ctx.now()
  const link = {
    token: inviteToken,
    status: 'VISITORS',
    memorialId,
    assignedAt: createdAt,
    createdAt,
  } as const
  const row = {
    id,
    memorialId,
    inviteToken,
    displayName,
    isGuest,
    tokenHash: hashToken(authToken),
    expiresAt: createdAt + VISITOR_SESSION_EXPIRES_MS,
    createdAt,
    deviceHash: unknownBrowser(ctx, memorialId),
  }
  const ofBefore = (column: SQL) =>
    sql`(select ${column} from ${contributors} as "before" where "before"."id" = ${before?.id})`
  const sameBrowser = before && {
    deviceHash: sql`coalesce(${ofBefore(sql`"before"."device_hash"`)}, ${row.deviceHash})`,
    // prove: blocked-browser-stays-blocked
    blockedAt: ofBefore(sql`"before"."blocked_at"`),
  }
  await ctx.db.batch([
    insertWhere(ctx.db, inviteTokens, link, isOpen).onConflictDoNothing(),
    insertWhere(ctx.db, contributors, row, isOpen, sameBrowser ?? {}),
  ])
  return authToken
}

export async function storeToken(ctx: RequestCtx, authToken: string, contributorId: string): Promise<void> {
  await storeContributorToken(ctx, hashToken(authToken), contributorId, VISITOR_SESSION_EXPIRES_MS)
}

/** A guest of an invitation who says their name is no guest any longer. */
export async function nameGuest(
  ctx: RequestCtx,
  own: LiveContributor,
  displayName: string,
): Promise<LiveContributor> {
  if (!own.isGuest) return own
  await ctx.db.update(contributors).set({ isGuest: false, displayName }).where(eq(contributors.id, own.id))
  return { ...own, isGuest: false, displayName }
}

/** After they left words: the browser gets the cookie of its new session, or keeps the one it has for longer. */
export async function rememberVisitor(
  ctx: RequestCtx,
  headers: Headers,
  { memorial, contributor }: MemorialAccess,
  authToken: string | null,
): Promise<void> {
  if (authToken !== null) {
    keepWordsOfBefore(headers, ctx.request, memorial)
    setContributorCookie(headers, ctx.request, memorial.id, authToken, VISITOR_SESSION_EXPIRES_MS)
  } else if (contributor) await renewVisitorSession(ctx, headers, contributor)
}
