import { eq, sql, type Placeholder, type SQL } from 'drizzle-orm'
import type { User } from '#shared/accounts.ts'
import type { CommentPage } from '#shared/comments.ts'
import { AppError } from '#shared/errors.ts'
import type { ContributorQuotas, ContributorSession } from '#shared/invites.ts'
import type { MediaPage } from '#shared/media.ts'
import type { MemorialView } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import { decideAccess } from '#worker/access/access.ts'
import {
  readContributors,
  selectLiveContributor,
  selectLiveInvite,
  type KnownContributor,
  type LiveContributor,
} from '#worker/access/contributor-sessions.ts'
import type { Reading } from '#worker/access/held.ts'
import { memorialColumns, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { continueSession, readSession, selectSessionUser, toUser } from '#worker/access/sessions.ts'
import { selectGuestbook, toCommentPage } from '#worker/features/comments/comments.ts'
import { selectFirstPage, toFirstPage } from '#worker/features/media/media.ts'
import { selectNews, toNews } from '#worker/features/memorials/news.ts'
import { readContributorQuotas } from '#worker/features/quota/quota.ts'
import { refTo, selectView, toMemorialView, type MemorialRef } from '#worker/features/views/memorial-view.ts'
import { readCookies } from '#worker/http/cookies.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { prepareBatch, type BatchResults, type Reader } from '#worker/platform/db.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** What a page's address says: the memorial, its invitation, or both. */
export type Address = { id: string | null; inviteToken: string | null }

/** What everybody sees of a memorial who opens it with the same rights. */
type Content = { view: MemorialView; media: MediaPage; comments: CommentPage }

/** A memorial as somebody opens it, who may. */
export type OpenedMemorial = {
  access: MemorialAccess
  user: User | null
  /** Their contributor session, if any. */
  own: Omit<ContributorSession, 'authToken'> | null
  /** The rows that `content` is made of, as text: equal text and equal `access` make equal content. */
  version: string
  content: () => Content
  /** Renews the session if it's time. `headers` gets its cookie. */
  renew: (headers: Headers) => Promise<void>
}

/**
 * All that the first screen of a memorial shows to this browser, by the rules of the API's calls; or why it may not see it. One round
 * trip to D1 for guests and contributors, two with an account's session. Null for admins, whose visits the API records.
 */
export async function openMemorial(
  ctx: Ctx,
  request: Request,
  address: Address,
): Promise<OpenedMemorial | AppError | null> {
  const cookies = readCookies(request)
  const [session, known] = await Promise.all([
    readSession(ctx, request, cookies),
    readContributors(ctx, request, cookies, address.id),
  ])
  // With contributors of several memorials, the invitation has to say first which one it is.
  if (session || (address.id === null && known.length > 0)) return openInTwoSteps(ctx, request, address)
  return openAtOnce(ctx, address, known[0] ?? null)
}

async function openInTwoSteps(
  ctx: Ctx,
  request: Request,
  address: Address,
): Promise<OpenedMemorial | AppError | null> {
  const found = await decideWhoOpens(ctx, request, address)
  if (!found) return NOT_FOUND
  const { user, access, renew } = found
  if (access.role === 'ADMIN') return null
  const refusal = access.refuse('view')
  if (refusal) return new AppError(refusal.code, refusal.message)
  const { memorial, contributor } = access
  const actorId = contributor?.id ?? user?.id ?? null
  const peopleOf = access.role === 'VISITOR' ? null : memorial.id
  const isOwner = access.role === 'OWNER'
  const [[[news], ...rows], quotas] = await Promise.all([
    ctx.db.batch([
      selectNews(ctx, isOwner ? memorial.id : ''),
      ...selectContent(ctx, refTo(memorial), { actorId, reading: access, peopleOf }),
    ]),
    contributor && readContributorQuotas(ctx, memorial.id, contributor.id),
  ])
  const content = toContent(access, rows)
  content.view.news = isOwner ? toNews(memorial.seenAt, news?.added) : null
  const own = contributor && quotas && toOwn(contributor, quotas)
  return { access, user, own, renew, version: JSON.stringify(content), content: () => content }
}

/** Reads what the address may open together with who may open it, for a browser without an account's session. */
async function openAtOnce(
  ctx: Ctx,
  address: Address,
  known: KnownContributor | null,
): Promise<OpenedMemorial | AppError> {
  const read = known ? READS.contributor : address.id === null ? READS.invitation : READS.id
  const [rows, quotas] = await Promise.all([
    read(ctx.db, {
      id: address.id,
      invitation: address.inviteToken ?? '',
      now: ctx.now(),
      ...(known ?? NO_CONTRIBUTOR),
    }),
    known && readContributorQuotas(ctx, known.memorialId, known.contributorId),
  ])
  const [[invited], [live], [memorial]] = [rows.rowsOf(0), rows.rowsOf(1), rows.rowsOf(2)]
  // What was read for an ended session isn't for anybody.
  if (known && !live) return openAtOnce(ctx, address, null)
  if (!memorial) return NOT_FOUND
  const contributor = live ?? null
  const hasInvite = invited?.memorialId === memorial.id
  const access = { memorial, contributor, ...decideAccess({ user: null, contributor, hasInvite }, memorial) }
  const refusal = access.refuse('view')
  if (refusal) return new AppError(refusal.code, refusal.message)
  return {
    access,
    user: null,
    own: contributor && quotas && toOwn(contributor, quotas),
    version: rows.json(CONTENT_AT),
    content() {
      const [, , , ...content] = rows.decode()
      return toContent(access, content)
    },
    async renew() {
      // There is no session to renew.
    },
  }
}

const NO_CONTRIBUTOR: KnownContributor = { contributorId: '', tokenHash: '', memorialId: '' }
/** The place of the memorial's row among the queries of {@link selectOpening}; its content follows. */
const CONTENT_AT = 2

/** The first three decide who may see the rest. */
function selectOpening(reader: Reader, id: SQL | Placeholder, isContributor: boolean) {
  const contributor = {
    contributorId: sql.placeholder('contributorId'),
    tokenHash: sql.placeholder('tokenHash'),
    memorialId: sql.placeholder('memorialId'),
  }
  const itsId = sql`${id}`
  const portraitId = sql`(select coalesce(${memorials.profileMediaId}, ${memorials.coverMediaId})
    from ${memorials} where ${memorials.id} = ${id})`
  // Guests learn no names, so none are read.
  const peopleOf = sql`(select ${contributors.memorialId} from ${contributors}
    where ${contributors.id} = ${contributor.contributorId} and not ${contributors.isGuest})`
  return [
    selectLiveInvite(reader, sql.placeholder('invitation')),
    selectLiveContributor(reader, contributor, sql.placeholder('now')),
    reader.db
      .select(memorialColumns())
      .from(memorials)
      .where(sql`${memorials.id} = ${id}`),
    ...selectContent(
      reader,
      { id: itsId, portraitId },
      {
        actorId: isContributor ? contributor.contributorId : null,
        reading: { canEdit: false, contributor: isContributor ? { id: contributor.contributorId } : null },
        peopleOf: isContributor ? peopleOf : null,
      },
    ),
  ] as const
}

const byInvitation = (reader: Reader) => sql`${selectLiveInvite(reader, sql.placeholder('invitation'))}`
const READS = {
  invitation: prepareBatch((reader) => selectOpening(reader, byInvitation(reader), false)),
  id: prepareBatch((reader) => selectOpening(reader, sql.placeholder('id'), false)),
  contributor: prepareBatch((reader) => selectOpening(reader, sql.placeholder('id'), true)),
}

/** For {@link toContent}. */
function selectContent(
  reader: Reader,
  memorial: MemorialRef,
  {
    actorId,
    reading,
    peopleOf,
  }: { actorId: string | Placeholder | null; reading: Reading; peopleOf: string | SQL | null },
) {
  return [
    ...selectView(reader, memorial),
    selectGuestbook(reader, memorial.id, { actorId, cursor: null, reading }),
    ...selectFirstPage(reader, memorial.id, { reading }, peopleOf),
  ] as const
}

function toContent(
  access: MemorialAccess,
  [services, locations, placeholders, comments, ...gallery]: BatchResults<ReturnType<typeof selectContent>>,
): Content {
  return {
    view: toMemorialView(access, [services, locations, placeholders]),
    media: toFirstPage(gallery, access),
    comments: toCommentPage(comments, access),
  }
}

function toOwn(
  { id, memorialId, displayName }: LiveContributor,
  quotas: ContributorQuotas,
): OpenedMemorial['own'] {
  return { memorialId, contributorId: id, displayName, quotas }
}

const NOT_FOUND = new AppError('not_found', messages.memorial.notFound)

/** One round trip: the memorial, and what its viewer may do. Null if there is no such memorial. */
export async function decideWhoOpens(
  ctx: Ctx,
  request: Request,
  { id, inviteToken }: Address,
): Promise<(Pick<OpenedMemorial, 'user' | 'renew'> & { access: MemorialAccess }) | null> {
  const cookies = readCookies(request)
  const [known, contributing] = await Promise.all([
    readSession(ctx, request, cookies),
    readContributors(ctx, request, cookies, id),
  ])
  const invite = selectLiveInvite(ctx, inviteToken ?? '')
  const which = id === null ? sql`${memorials.id} = ${invite}` : eq(memorials.id, id)
  const [[memorial], [invited], [row], ...live] = await ctx.db.batch([
    ctx.db.select(memorialColumns()).from(memorials).where(which),
    invite,
    selectSessionUser(ctx, known ?? NOBODY),
    ...contributing.map((one) => selectLiveContributor(ctx, one, ctx.now())),
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
  const [row] = known ? await selectLiveContributor(ctx, known, ctx.now()) : []
  return row ?? null
}

/** The session of a browser without one. */
const NOBODY = { token: '', session: { userId: '', epoch: 0, createdAt: 0, renewedAt: 0 } }
