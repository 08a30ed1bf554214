import { and, eq, gt, sql } from 'drizzle-orm'
import { CONTRIBUTOR_SESSION_EXPIRES_MS } from '#shared/limits.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { ownCookie, setOwnCookie } from '#worker/http/cookies.ts'
import { hashToken, newToken } from '#worker/platform/random.ts'

export type LiveContributor = {
  id: string
  memorialId: string
  /** The link this person came by. */
  inviteToken: string
  displayName: string
  isGuest: boolean
}

const KEY_PREFIX = 'contributor:'
const OWN_COOKIE = /^(?:__Host-)?contributor-(mem_[a-z0-9]+)$/u

function cookieFor(memorialId: string): string {
  return `contributor-${memorialId}`
}

/** A bearer token for a contributor session. D1 keeps the contributor with `tokenHash`; then {@link storeContributorToken}. */
export function newContributorToken(): { token: string; tokenHash: string } {
  const token = newToken()
  return { token, tokenHash: hashToken(token) }
}

/** Puts the SHA-256 of a contributor's token into KV, where requests are asked for it. */
export async function storeContributorToken(
  ctx: Ctx,
  tokenHash: string,
  contributorId: string,
): Promise<void> {
  await ctx.env.KV.put(`${KEY_PREFIX}${tokenHash}`, contributorId, {
    expirationTtl: CONTRIBUTOR_SESSION_EXPIRES_MS / 1000,
  })
}

/** Takes contributor tokens out of KV. Safe to repeat. */
export async function clearContributorTokens(ctx: Ctx, tokenHashes: (string | null)[]): Promise<void> {
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
 * Ends the contributor sessions of a browser whose owner signs out: on a shared phone the next person must not be them. The
 * cookies go with the answer; D1 forgets the tokens, so that one which was copied is worth nothing either.
 */
export async function endContributorSessions(ctx: RequestCtx, headers: Headers): Promise<void> {
  const { cookies } = ctx.credentials
  const hashes: string[] = []
  for (const memorialId of Object.keys(cookies).flatMap((name) => OWN_COOKIE.exec(name)?.[1] ?? [])) {
    const token = ownCookie(ctx.request, cookies, cookieFor(memorialId))
    if (token !== null) hashes.push(hashToken(token))
    setOwnCookie(headers, ctx.request, cookieFor(memorialId), '', 0)
  }
  if (hashes.length === 0) return
  const ids = await Promise.all(hashes.map((hash) => ctx.env.KV.get(`${KEY_PREFIX}${hash}`)))
  await ctx.db
    .update(contributors)
    .set({ tokenHash: null })
    .where(
      sql`${contributors.id} in (select value from json_each(${JSON.stringify(ids)}))
        and ${contributors.tokenHash} in (select value from json_each(${JSON.stringify(hashes)}))`,
    )
  await clearContributorTokens(ctx, hashes)
}

/**
 * The contributor behind a request at one memorial, or null. The token is taken from `bodyToken`, then
 * `X-Contributor-Token`, then the memorial's cookie; the first that is shown counts. A session dies with its invitation
 * link (rotation revokes it) and with privacy PRIVATE (its `tokenHash` goes).
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
  const tokenHash = hashToken(token)
  const contributorId = await ctx.env.KV.get(`${KEY_PREFIX}${tokenHash}`)
  if (!contributorId) return null
  const [row] = await ctx.db
    .select({
      id: contributors.id,
      memorialId: contributors.memorialId,
      inviteToken: contributors.inviteToken,
      displayName: contributors.displayName,
      isGuest: contributors.isGuest,
    })
    .from(contributors)
    .innerJoin(inviteTokens, eq(inviteTokens.token, contributors.inviteToken))
    .where(
      and(
        eq(contributors.id, contributorId),
        eq(contributors.memorialId, memorialId),
        // KV serves what is a minute old.
        eq(contributors.tokenHash, tokenHash),
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
