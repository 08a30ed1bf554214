import { eq, sql } from 'drizzle-orm'
import type { User } from '#shared/accounts.ts'
import type { CommentPage } from '#shared/comments.ts'
import { AppError } from '#shared/errors.ts'
import type { ContributorSession } from '#shared/invites.ts'
import type { MediaPage } from '#shared/media.ts'
import type { MemorialView } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import { decideAccess } from '#worker/access/access.ts'
import {
  readContributors,
  selectLiveContributor,
  selectLiveInvite,
} from '#worker/access/contributor-sessions.ts'
import { memorialColumns, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { continueSession, readSession, selectSessionUser, toUser } from '#worker/access/sessions.ts'
import { selectGuestbook, toCommentPage } from '#worker/features/comments/comments.ts'
import { selectFirstPage, toFirstPage } from '#worker/features/media/media.ts'
import { selectNews, toNews } from '#worker/features/memorials/news.ts'
import { readContributorQuotas } from '#worker/features/quota/quota.ts'
import { refTo, selectView, toMemorialView } from '#worker/features/views/memorial-view.ts'
import { readCookies } from '#worker/http/cookies.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** What a page's address says: the memorial, its invitation, or both. */
export type Address = { id: string | null; inviteToken: string | null }

/** A memorial as somebody opens it, who may. `own`: their contributor session, if any. */
export type OpenedMemorial = {
  access: MemorialAccess
  user: User | null
  view: MemorialView
  media: MediaPage
  comments: CommentPage
  own: Omit<ContributorSession, 'authToken'> | null
  /** Renews the session if it's time. `headers` gets its cookie. */
  renew: (headers: Headers) => Promise<void>
}

/**
 * All that the first screen of a memorial shows to this browser, by the rules of the API's calls: two round trips to D1; or why
 * it may not see it. Null for admins, whose visits the API records.
 */
export async function openMemorial(
  ctx: Ctx,
  request: Request,
  address: Address,
): Promise<OpenedMemorial | AppError | null> {
  const found = await decideWhoOpens(ctx, request, address)
  if (!found) return new AppError('not_found', messages.memorial.notFound)
  if (found.access.role === 'ADMIN') return null
  const refusal = found.access.refuse('view')
  if (refusal) return new AppError(refusal.code, refusal.message)
  const { user, access, renew } = found
  const { memorial, contributor } = access
  const actorId = contributor?.id ?? user?.id ?? null
  const start = { actorId, cursor: null, reading: access }
  const isOwner = access.role === 'OWNER'
  const [[services, locations, placeholders, comments, [news], ...gallery], quotas] = await Promise.all([
    ctx.db.batch([
      ...selectView(ctx, refTo(memorial)),
      selectGuestbook(ctx, memorial.id, start),
      selectNews(ctx, isOwner ? memorial.id : ''),
      ...selectFirstPage(ctx, access),
    ]),
    contributor && readContributorQuotas(ctx, memorial.id, contributor.id),
  ])
  return {
    access,
    user,
    renew,
    view: {
      ...toMemorialView(access, [services, locations, placeholders]),
      news: isOwner ? toNews(memorial.seenAt, news?.added) : null,
    },
    media: toFirstPage(gallery, access),
    comments: toCommentPage(comments, access),
    own: contributor &&
      quotas && {
        memorialId: memorial.id,
        contributorId: contributor.id,
        displayName: contributor.displayName,
        quotas,
      },
  }
}

/** One round trip: the memorial, and what its viewer may do. Null if there is no such memorial. */
export async function decideWhoOpens(
  ctx: Ctx,
  request: Request,
  { id, inviteToken }: Address,
): Promise<(Pick<OpenedMemorial, 'user' | 'renew'> & { access: MemorialAccess }) | null> {
  const cookies = readCookies(request)
  const [known, contributors] = await Promise.all([
    readSession(ctx, request, cookies),
    readContributors(ctx, request, cookies, id),
  ])
  const invite = selectLiveInvite(ctx, inviteToken ?? '')
  const which = id === null ? sql`${memorials.id} = ${invite}` : eq(memorials.id, id)
  const [[memorial], [invited], [row], ...live] = await ctx.db.batch([
    ctx.db.select(memorialColumns()).from(memorials).where(which),
    invite,
    selectSessionUser(ctx, known ?? NOBODY),
    ...contributors.map((one) => selectLiveContributor(ctx, one)),
  ])
  if (!memorial) return null
  const user = known && row ? toUser(row) : null
  const isOwner = user?.id === memorial.ownerId
  const contributor = isOwner
    ? null
    : (live.flat().find(({ memorialId }) => memorialId === memorial.id) ??
      (id === null ? await findContributor(ctx, request, memorial.id) : null))
  const hasInvite = !isOwner && invited?.memorialId === memorial.id
  return {
    user,
    async renew(headers) {
      if (known && row) await continueSession(ctx, request, headers, known, row)
    },
    access: { memorial, contributor, ...decideAccess({ user, contributor, hasInvite }, memorial) },
  }
}

/** For a browser with more invitations than {@link readContributors} tries. */
async function findContributor(ctx: Ctx, request: Request, memorialId: string) {
  const [known] = await readContributors(ctx, request, readCookies(request), memorialId)
  const [row] = known ? await selectLiveContributor(ctx, known) : []
  return row ?? null
}

/** The session of a browser without one. */
const NOBODY = { token: '', session: { userId: '', epoch: 0, createdAt: 0, renewedAt: 0 } }
