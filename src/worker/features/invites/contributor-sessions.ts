import { and, eq, gt } from 'drizzle-orm'
import { CONTRIBUTOR_SESSION_EXPIRES_MS } from '#shared/limits.ts'
import type { Ctx, RequestCtx } from '#worker/ctx.ts'
import { contributors, inviteTokens } from '#worker/features/invites/invites.table.ts'
import { ownCookie, setOwnCookie } from '#worker/http/cookies.ts'
import { hashToken, newToken } from '#worker/platform/random.ts'

export type LiveContributor = { id: string; memorialId: string; displayName: string; isGuest: boolean }

const KEY_PREFIX = 'contributor:'

function cookieFor(memorialId: string): string {
  return `contributor-${memorialId}`
}

/** A bearer token for a contributor session. D1 keeps the contributor with `tokenHash`; then {@link keepContributorToken}. */
export function newContributorToken(): { token: string; tokenHash: string } {
  const token = newToken()
  return { token, tokenHash: hashToken(token) }
}

/** Puts the SHA-256 of a contributor's token into KV, where requests are asked for it. */
export async function keepContributorToken(
  ctx: Ctx,
  tokenHash: string,
  contributorId: string,
): Promise<void> {
  await ctx.env.KV.put(`${KEY_PREFIX}${tokenHash}`, contributorId, {
    expirationTtl: CONTRIBUTOR_SESSION_EXPIRES_MS / 1000,
  })
}

/** Takes contributor tokens out of KV. Safe to repeat. */
export async function dropContributorTokens(ctx: Ctx, tokenHashes: (string | null)[]): Promise<void> {
  for (const tokenHash of tokenHashes) {
    if (tokenHash !== null) await ctx.env.KV.delete(`${KEY_PREFIX}${tokenHash}`)
  }
}

/** Keeps the token as an HttpOnly cookie as well, one a memorial, so that pictures load without a header. */
export function setContributorCookie(
  headers: Headers,
  request: Request,
  memorialId: string,
  token: string,
): void {
  setOwnCookie(headers, request, cookieFor(memorialId), token, CONTRIBUTOR_SESSION_EXPIRES_MS / 1000)
}

/**
 * The contributor behind a request at one memorial, or null. The token is taken from `bodyToken`, then
 * `X-Contributor-Token`, then the memorial's cookie; the first that is shown counts. A session dies with its invitation
 * link (rotation revokes it); privacy PRIVATE is the access decision's business.
 */
export async function findLiveContributor(
  ctx: RequestCtx,
  memorialId: string,
  bodyToken: string | null,
): Promise<LiveContributor | null> {
  const token =
    bodyToken ??
    ctx.credentials.contributorHeader ??
    ownCookie(ctx.request, ctx.credentials.cookies, cookieFor(memorialId))
  if (!token) return null
  const contributorId = await ctx.env.KV.get(`${KEY_PREFIX}${hashToken(token)}`)
  if (!contributorId) return null
  const [row] = await ctx.db
    .select({
      id: contributors.id,
      memorialId: contributors.memorialId,
      displayName: contributors.displayName,
      isGuest: contributors.isGuest,
    })
    .from(contributors)
    .innerJoin(inviteTokens, eq(inviteTokens.token, contributors.inviteToken))
    .where(
      and(
        eq(contributors.id, contributorId),
        eq(contributors.memorialId, memorialId),
        eq(inviteTokens.status, 'ASSIGNED'),
        gt(contributors.expiresAt, ctx.now()),
      ),
    )
  return row ?? null
}

/** True when `token` is the live invitation link of this memorial. */
export async function isLiveInvite(ctx: Ctx, token: string, memorialId: string): Promise<boolean> {
  const [row] = await ctx.db
    .select({ token: inviteTokens.token })
    .from(inviteTokens)
    .where(
      and(
        eq(inviteTokens.token, token),
        eq(inviteTokens.memorialId, memorialId),
        eq(inviteTokens.status, 'ASSIGNED'),
      ),
    )
  return row !== undefined
}
