import { and, eq, gt, inArray, isNull, lte, or, sql, type Placeholder, type SQL } from 'drizzle-orm'
import {
  CONTRIBUTOR_SESSION_EXPIRES_MS,
  SESSION_RENEW_AFTER_MS,
  VISITOR_SESSION_EXPIRES_MS,
} from '#shared/limits.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { readCookies, readOwnCookie, setOwnCookie } from '#worker/http/cookies.ts'
import { endReplyCookies } from '#worker/access/reply-cookies.ts'
import type { Reader } from '#worker/platform/db.ts'
import { hashToken } from '#worker/platform/random.ts'

export type LiveContributor = {
  id: string
  memorialId: string
  /** Token of the invitation that created the session. */
  inviteToken: string
  displayName: string
  isGuest: boolean
  /** True for a visitor of the public page who left words there: they may only read it, and take their words back. */
  isVisitor: boolean
}

export type LinkStatus = typeof inviteTokens.$inferSelect.status
/** Links whose contributors have sessions: the family's invitation, and the stand-in for its public page. */
export const SESSION_LINKS: readonly LinkStatus[] = ['ASSIGNED', 'VISITORS']

const KEY_PREFIX = 'contributor:'
/** So many memorials of a browser are tried for an invitation that opens a page: each costs a read of KV. */
const CONTRIBUTORS_MAX = 10
const OWN_COOKIE = /^(?:__Host-)?contributor-(mem_[a-z0-9]+)$/u
/** Each costs a call when the page of a visitor's words is shown. */
const WORDS_TOKENS_MAX = 8
const WORDS_COOKIE = /^(?:__Host-)?words-([a-z0-9-]+)$/u

function cookieFor(memorialId: string): string {
  return `contributor-${memorialId}`
}

/** True when the request has a cookie of a contributor session of this memorial, live or not. */
export function carriesContributorSession(request: Request, memorialId: string): boolean {
  return readOwnCookie(request, readCookies(request), cookieFor(memorialId)) !== null
}

/** Stores the SHA-256 of a contributor's token in KV, where requests look it up. */
export async function storeContributorToken(
  ctx: Ctx,
  tokenHash: string,
  contributorId: string,
  lifetimeMs = CONTRIBUTOR_SESSION_EXPIRES_MS,
): Promise<void> {
  await ctx.env.KV.put(`${KEY_PREFIX}${tokenHash}`, contributorId, { expirationTtl: lifetimeMs / 1000 })
}

/** The same for the token of a link that was mailed to a visitor, which works for as long as their words exist. */
export async function storeMailToken(ctx: Ctx, tokenHash: string, contributorId: string): Promise<void> {
  await ctx.env.KV.put(`${KEY_PREFIX}${tokenHash}`, contributorId)
}

/** Deletes contributor tokens from KV. Safe to repeat. */
export async function clearContributorTokens(ctx: Ctx, tokenHashes: (string | null)[]): Promise<void> {
  for (const tokenHash of tokenHashes) {
    if (tokenHash !== null) await ctx.env.KV.delete(`${KEY_PREFIX}${tokenHash}`)
  }
}

/**
 * Lets a visitor's session live as long from now on as a new one, at most once a day, and the cookie if it's that of the browser. Whoever comes
 * back keeps their words "for ever on that device".
 */
export async function renewVisitorSession(
  ctx: RequestCtx,
  headers: Headers,
  { id, memorialId, isVisitor }: LiveContributor,
): Promise<void> {
  const { contributorHeader, cookies } = ctx.credentials
  const token = contributorHeader ?? readOwnCookie(ctx.request, cookies, cookieFor(memorialId))
  if (!isVisitor || !token) return
  const tokenHash = hashToken(token)
  const expiresAt = ctx.now() + VISITOR_SESSION_EXPIRES_MS
  const isDue = lte(contributors.expiresAt, expiresAt - SESSION_RENEW_AFTER_MS)
  const [renewed] = await ctx.db
    .update(contributors)
    .set({ expiresAt })
    // Not by a mailed link, which is no session.
    .where(
      and(
        eq(contributors.id, id),
        /* prove: only-sessions-renewed */ eq(contributors.tokenHash, tokenHash),
        isDue,
      ),
    )
    .returning({ id: contributors.id })
  if (!renewed) return
  await storeContributorToken(ctx, tokenHash, id, VISITOR_SESSION_EXPIRES_MS)
  if (contributorHeader === null)
    setContributorCookie(headers, ctx.request, memorialId, token, VISITOR_SESSION_EXPIRES_MS)
}

/** Sets the token as an HttpOnly cookie per memorial, so that images load without a header. */
export function setContributorCookie(
  headers: Headers,
  request: Request,
  memorialId: string,
  token: string,
  lifetimeMs = CONTRIBUTOR_SESSION_EXPIRES_MS,
): void {
  setOwnCookie(headers, request, cookieFor(memorialId), token, lifetimeMs / 1000)
}

/**
 * The tokens by which this browser sees words on the page of its own words, besides its session: of the mailed link that it opened last, and of
 * visitors who wrote in it before. Newest first.
 */
export function readWordsTokens(request: Request, slug: string): string[] {
  const value = readOwnCookie(request, readCookies(request), `words-${slug}`) ?? ''
  return value.split('.').filter(Boolean).slice(0, WORDS_TOKENS_MAX)
}

/** Adds a token to {@link readWordsTokens}. The oldest one makes room. */
export function addWordsToken(headers: Headers, request: Request, slug: string, token: string): void {
  const others = readWordsTokens(request, slug).filter((other) => other !== token)
  const tokens = [token, ...others].slice(0, WORDS_TOKENS_MAX)
  setOwnCookie(headers, request, `words-${slug}`, tokens.join('.'), VISITOR_SESSION_EXPIRES_MS / 1000)
}

/** Keeps these tokens as long as a new one. */
export function renewWordsTokens(headers: Headers, request: Request, slug: string): void {
  const [first] = readWordsTokens(request, slug)
  if (first !== undefined) addWordsToken(headers, request, slug, first)
}

/** When a browser's session changes to another visitor, the one before keeps showing its words there. */
export function keepWordsOfBefore(
  headers: Headers,
  request: Request,
  { id, slug }: { id: string; slug: string },
): void {
  const before = readOwnCookie(request, readCookies(request), cookieFor(id))
  if (before !== null) addWordsToken(headers, request, slug, before)
}

/** Ends a browser's contributor sessions at sign-out, and forgets its replies, for shared phones. Cleared hashes revoke copied tokens. */
export async function endContributorSessions(ctx: RequestCtx, headers: Headers): Promise<void> {
  const { cookies } = ctx.credentials
  endReplyCookies(headers, ctx.request)
  const others: string[] = []
  for (const slug of Object.keys(cookies).flatMap((name) => WORDS_COOKIE.exec(name)?.[1] ?? [])) {
    others.push(...readWordsTokens(ctx.request, slug).map(hashToken))
    setOwnCookie(headers, ctx.request, `words-${slug}`, '', 0)
  }
  const hashes: string[] = []
  for (const memorialId of Object.keys(cookies).flatMap((name) => OWN_COOKIE.exec(name)?.[1] ?? [])) {
    const token = readOwnCookie(ctx.request, cookies, cookieFor(memorialId))
    if (token !== null) hashes.push(hashToken(token))
    setOwnCookie(headers, ctx.request, cookieFor(memorialId), '', 0)
  }
  const all = [...hashes, ...others]
  if (all.length === 0) return
  const ids = await Promise.all(all.map((hash) => ctx.env.KV.get(`${KEY_PREFIX}${hash}`)))
  const isTheirs = sql`${contributors.id} in (select value from json_each(${JSON.stringify(ids)}))
    and ${contributors.tokenHash} in (select value from json_each(${JSON.stringify(all)}))`
  const [ended] = await ctx.db.batch([
    ctx.db.select({ tokenHash: contributors.tokenHash }).from(contributors).where(isTheirs),
    ctx.db.update(contributors).set({ tokenHash: null }).where(isTheirs),
  ])
  // Not those of mailed links, which keep working.
  await clearContributorTokens(ctx, [...hashes, ...ended.map(({ tokenHash }) => tokenHash)])
}

/** A contributor that KV knows for a token. D1 decides whether the session is still live: {@link selectLiveContributor}. */
export type KnownContributor = { contributorId: string; tokenHash: string; memorialId: string }

/** The first token counts: `bodyToken`, `X-Contributor-Token`, then the memorial's cookie. Null if not live. */
export async function findLiveContributor(
  ctx: RequestCtx,
  memorialId: string,
  bodyToken: string | null,
): Promise<LiveContributor | null> {
  const token =
    bodyToken ??
    ctx.credentials.contributorHeader ??
    readOwnCookie(ctx.request, ctx.credentials.cookies, cookieFor(memorialId))
  const known = await findKnown(ctx, memorialId, token)
  if (!known) return null
  const [row] = await selectLiveContributor(ctx, known, ctx.now())
  return row ?? null
}

async function findKnown(
  ctx: Ctx,
  memorialId: string,
  token: string | null,
): Promise<KnownContributor | null> {
  if (!token) return null
  const tokenHash = hashToken(token)
  const contributorId = await ctx.env.KV.get(`${KEY_PREFIX}${tokenHash}`)
  return contributorId ? { contributorId, tokenHash, memorialId } : null
}

/** The contributors of the request's cookies: of this memorial, or (null) of the first {@link CONTRIBUTORS_MAX}. */
export async function readContributors(
  ctx: Ctx,
  request: Request,
  cookies: Record<string, string>,
  memorialId: string | null,
): Promise<KnownContributor[]> {
  const all = Object.keys(cookies).flatMap((name) => OWN_COOKIE.exec(name)?.[1] ?? [])
  const ids = memorialId === null ? [...new Set(all)].slice(0, CONTRIBUTORS_MAX) : [memorialId]
  const found = await Promise.all(
    ids.map((id) => findKnown(ctx, id, readOwnCookie(request, cookies, cookieFor(id)))),
  )
  return found.filter((known) => known !== null)
}

/** Statement: the contributor, if the session is live at this time (ms) and of its memorial. */
export function selectLiveContributor(
  { db }: Reader,
  { contributorId, tokenHash, memorialId }: { [name in keyof KnownContributor]: string | Placeholder },
  now: number | Placeholder,
) {
  return db
    .select({
      id: contributors.id,
      memorialId: contributors.memorialId,
      inviteToken: contributors.inviteToken,
      displayName: contributors.displayName,
      isGuest: contributors.isGuest,
      isVisitor: sql<boolean>`${inviteTokens.status} = 'VISITORS'`.mapWith(Boolean).as('is_visitor'),
    })
    .from(contributors)
    .innerJoin(inviteTokens, eq(inviteTokens.token, contributors.inviteToken))
    .where(
      and(
        eq(contributors.id, contributorId),
        // prove: contributor-own-memorial
        eq(contributors.memorialId, memorialId),
        // prove: revoked-link-ends-sessions
        inArray(inviteTokens.status, SESSION_LINKS),
        or(
          and(
            // KV reads can be a minute old.
            eq(contributors.tokenHash, tokenHash),
            // prove: contributor-session-expires
            gt(contributors.expiresAt, now),
          ),
          and(
            eq(contributors.mailTokenHash, tokenHash),
            // prove: mailed-link-is-visitors
            eq(inviteTokens.status, 'VISITORS'),
          ),
        ),
      ),
    )
}

/** SQL condition: the invitation lets people in at this time (ms). */
export function isOpenLink(now: number | Placeholder): SQL | undefined {
  return and(
    eq(inviteTokens.status, 'ASSIGNED'),
    /* prove: invitation-end-date */ or(isNull(inviteTokens.endsAt), gt(inviteTokens.endsAt, now)),
  )
}

/** Statement: the memorial that this invitation opens by itself, without a PIN, at this time (ms); no row without one. */
export function selectLiveInvite(ctx: Reader, token: string | Placeholder, now: number | Placeholder) {
  return ctx.db
    .select({ memorialId: inviteTokens.memorialId })
    .from(inviteTokens)
    .where(
      and(
        eq(inviteTokens.token, token),
        isOpenLink(now),
        /* prove: pin-before-memorial */ isNull(inviteTokens.pinHash),
      ),
    )
}

/** True when `token` opens this memorial by itself. */
export async function isLiveInvite(ctx: Ctx, token: string, memorialId: string): Promise<boolean> {
  const [row] = await selectLiveInvite(ctx, token, ctx.now())
  return row?.memorialId === memorialId
}
