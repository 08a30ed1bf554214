import { eq, sql } from 'drizzle-orm'
import type { User } from '#shared/accounts/accounts.ts'
import {
  readContributors,
  selectLiveContributor,
  selectLiveInvite,
} from '#worker/access/contributor-sessions.ts'
import { selectKeeper, toLiveKeeper } from '#worker/access/keepers.ts'
import { accessOf, memorialColumns, type MemorialAccess } from '#worker/access/memorial-access.ts'
import {
  continueSession,
  readSession,
  selectSessionUser,
  toApiUser,
  toSessionUser,
} from '#worker/access/sessions.ts'
import { readCookies } from '#worker/http/cookies.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** What a page's address says: the memorial, its invitation, or both. */
export type Address = { id: string | null; inviteToken: string | null }

/** Who opens a memorial, and what they may do. `renew` renews their session if it's time; `headers` gets its cookie. */
export type Opener = { user: User | null; access: MemorialAccess; renew: (headers: Headers) => Promise<void> }

/** The sessions of a browser as KV has them. D1 decides whether they are live. */
export type Asker = Awaited<ReturnType<typeof readAsker>>

/** `contributors`: as {@link readContributors} returns them for this address. */
export async function readAsker(ctx: Ctx, request: Request, { id }: Address) {
  const cookies = readCookies(request)
  const [session, contributors] = await Promise.all([
    readSession(ctx, request, cookies),
    readContributors(ctx, request, cookies, id),
  ])
  return { session, contributors }
}

/** One round trip to D1: the memorial, and what its viewer may do. Null if there is no such memorial. */
export async function decideWhoOpens(
  ctx: Ctx,
  request: Request,
  { id, inviteToken }: Address,
  { session, contributors }: Asker,
): Promise<Opener | null> {
  const invite = selectLiveInvite(ctx, inviteToken ?? '', ctx.now())
  const which = id === null ? sql`${memorials.id} = ${invite}` : eq(memorials.id, id)
  const [[memorial], [invited], [row], [kept], ...live] = await ctx.db.batch([
    ctx.db.select(memorialColumns()).from(memorials).where(which),
    invite,
    selectSessionUser(ctx, session ?? NOBODY),
    selectKeeper(ctx, id ?? sql`${invite}`, session?.session.userId ?? ''),
    ...contributors.map((one) => selectLiveContributor(ctx, one, ctx.now())),
  ])
  if (!memorial) return null
  const user = session && row ? toSessionUser(row) : null
  const isOwner = user?.id === memorial.ownerId
  const contributor = isOwner
    ? null
    : (live.flat().find(({ memorialId }) => memorialId === memorial.id) ??
      (id === null ? await findContributor(ctx, request, memorial.id) : null))
  const hasInvite = !isOwner && invited?.memorialId === memorial.id
  return {
    user: user && toApiUser(user),
    async renew(headers) {
      if (session && row) await continueSession(ctx, request, headers, session, row)
    },
    access: accessOf(memorial, { user, keeper: user && toLiveKeeper(kept), contributor, hasInvite }),
  }
}

/** For a browser with more invitations than {@link readContributors} tries. */
async function findContributor(ctx: Ctx, request: Request, memorialId: string) {
  const [known] = await readContributors(ctx, request, readCookies(request), memorialId)
  const [row] = known ? await selectLiveContributor(ctx, known, ctx.now()) : []
  return row ?? null
}

/** The session of a browser without one. */
const NOBODY = { token: '', session: { userId: '', epoch: 0, createdAt: 0, renewedAt: 0 } }
