import { sql, type Placeholder, type SQL } from 'drizzle-orm'
import type { CommentPage } from '#shared/comments/comments.ts'
import { AppError } from '#shared/errors.ts'
import type { ContributorSession } from '#shared/invites/invites.ts'
import type { MediaPage } from '#shared/media/media.ts'
import type { MemorialView } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import {
  selectLiveContributor,
  selectLiveInvite,
  type KnownContributor,
} from '#worker/access/contributor-sessions.ts'
import type { Reading } from '#worker/access/held.ts'
import { accessOf, memorialColumns, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { selectGuestbook, toCommentPage } from '#worker/features/comments/comments.ts'
import { selectFirstPage, toFirstPage } from '#worker/features/media/media.ts'
import { selectAddressState, toAddressState, toOwnSession } from '#worker/features/invites/invites.ts'
import { readContributorQuotas } from '#worker/features/quota/quota.ts'
import { selectNews, toNews } from '#worker/features/memorials/news.ts'
import { refTo, selectView, toMemorialView, type MemorialRef } from '#worker/features/views/memorial-view.ts'
import {
  decideWhoOpens,
  readAsker,
  type Address,
  type Asker,
  type Opener,
} from '#worker/features/views/who-opens.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { prepareBatch, type BatchResults, type Reader } from '#worker/platform/db.ts'
import { memorials } from '#worker/schema/memorials.table.ts'

/** What a memorial's first screen shows. */
type Content = { view: MemorialView; media: MediaPage; comments: CommentPage }

/** A memorial that this browser may see. */
export type OpenedMemorial = Opener & {
  /** Their contributor session, if any. */
  own: Omit<ContributorSession, 'authToken'> | null
  /** The rows that `content` is made of, as text: equal text and equal `access` make equal content. */
  version: string
  content: () => Content
}

/**
 * All that the first screen of a memorial shows to this browser, by the rules of the API's calls; or why it may not see it. Null for
 * admins, whose visits the API records. One round trip to D1 if the browser has no session, or only a contributor's of the memorial in
 * the address; else two.
 */
export async function openMemorial(
  ctx: Ctx,
  request: Request,
  address: Address,
): Promise<OpenedMemorial | AppError | null> {
  const asker = await readAsker(ctx, request, address)
  // With contributors of several memorials, the invitation has to say first which one it is.
  const isFoundFirst = asker.session !== null || (address.id === null && asker.contributors.length > 0)
  return isFoundFirst
    ? openInTwoSteps(ctx, request, address, asker)
    : openAtOnce(ctx, address, asker.contributors[0] ?? null)
}

async function openInTwoSteps(
  ctx: Ctx,
  request: Request,
  address: Address,
  asker: Asker,
): Promise<OpenedMemorial | AppError | null> {
  const found = await decideWhoOpens(ctx, request, address, asker)
  if (!found) return NOT_FOUND
  const { user, access, renew } = found
  if (access.role === 'ADMIN') return null
  const refusal = access.refuse('view')
  if (refusal) return new AppError(refusal.code, refusal.message, refusal)
  const { memorial, contributor } = access
  const actorId = contributor?.id ?? user?.id ?? null
  const peopleOf = access.role === 'VISITOR' ? null : memorial.id
  const [[[news], left, ...rows], quotas] = await Promise.all([
    ctx.db.batch([
      selectNews(ctx, access),
      selectAddressState(ctx, contributor?.id ?? ''),
      ...selectContent(ctx, refTo(memorial), { actorId, reading: access, peopleOf }),
    ]),
    contributor && readContributorQuotas(ctx, memorial.id, contributor.id),
  ])
  const own = contributor && quotas && toOwnSession(contributor, toAddressState(left), quotas)
  const content = toContent(access, rows)
  content.view.news = toNews(news)
  return { access, user, own, renew, version: JSON.stringify(content), content: () => content }
}

/** Reads who may open the memorial together with what it shows. */
async function openAtOnce(
  ctx: Ctx,
  { id, inviteToken }: Address,
  known: KnownContributor | null,
): Promise<OpenedMemorial | AppError> {
  const read = known ? READS.contributor : id === null ? READS.invitation : READS.id
  const who = known ?? NO_CONTRIBUTOR
  const rows = await read(ctx.db, { id, invitation: inviteToken ?? '', now: ctx.now(), ...who })
  const [[invited], [live], left] = [rows.rowsOf(0), rows.rowsOf(1), rows.rowsOf(2)]
  const [memorial] = rows.rowsOf(MEMORIAL_AT)
  // The session has ended, or is a visitor's of the page while it was public, so the browser is a guest's: read again what a guest may see.
  if (known && (!live || (live.isVisitor && memorial?.privacy !== 'LOCKED')))
    return openAtOnce(ctx, { id, inviteToken }, null)
  if (!memorial) return NOT_FOUND
  const contributor = live ?? null
  const hasInvite = invited?.memorialId === memorial.id
  const access = accessOf(memorial, { user: null, contributor, hasInvite })
  const refusal = access.refuse('view')
  if (refusal) return new AppError(refusal.code, refusal.message, refusal)
  const quotas = contributor && (await readContributorQuotas(ctx, memorial.id, contributor.id))
  return {
    access,
    user: null,
    own: contributor && quotas && toOwnSession(contributor, toAddressState(left), quotas),
    version: rows.json(MEMORIAL_AT),
    content() {
      const [, , , , ...content] = rows.decode()
      return toContent(access, content)
    },
    async renew() {
      // There is no session to renew.
    },
  }
}

const NO_CONTRIBUTOR: KnownContributor = { contributorId: '', tokenHash: '', memorialId: '' }
/** The memorial's query among those of {@link selectOpening}. The queries before it say who asks; those behind it are its content. */
const MEMORIAL_AT = 3

/**
 * Queries for one batch. `shownId`: the memorial's id if its content may be shown, so that a refusal costs no reading. It decides
 * nothing: {@link decideAccess} does.
 */
function selectOpening(reader: Reader, id: SQL | Placeholder, shownId: SQL, isContributor = false) {
  const { contributorId } = ASKED
  const portraitId = sql`(select coalesce(${memorials.profileMediaId}, ${memorials.coverMediaId})
    from ${memorials} where ${memorials.id} = ${id})`
  const live = selectLiveContributor(reader, ASKED, ASKED.now)
  // Guests don't learn who added something.
  const peopleOf = sql`(select memorial_id from ${live} where not is_guest)`
  return [
    selectLiveInvite(reader, ASKED.invitation, ASKED.now),
    live,
    selectAddressState(reader, contributorId),
    reader.db
      .select(memorialColumns())
      .from(memorials)
      .where(sql`${memorials.id} = ${id}`),
    ...selectContent(
      reader,
      { id: shownId, portraitId },
      {
        actorId: isContributor ? contributorId : null,
        reading: { canApprove: false, contributor: isContributor ? { id: contributorId } : null },
        peopleOf: isContributor ? peopleOf : null,
      },
    ),
  ] as const
}

/** Values of the prepared batches. */
const ASKED = {
  id: sql.placeholder('id'),
  invitation: sql.placeholder('invitation'),
  contributorId: sql.placeholder('contributorId'),
  tokenHash: sql.placeholder('tokenHash'),
  memorialId: sql.placeholder('memorialId'),
  now: sql.placeholder('now'),
}
const READS = {
  invitation: prepareBatch((reader) => {
    const invited = sql`${selectLiveInvite(reader, ASKED.invitation, ASKED.now)}`
    return selectOpening(reader, invited, invited)
  }),
  id: prepareBatch((reader) => {
    const isInvited = sql`${memorials.id} = ${selectLiveInvite(reader, ASKED.invitation, ASKED.now)}`
    const shownId = sql`(select ${memorials.id} from ${memorials}
      where ${memorials.id} = ${ASKED.id} and (${memorials.privacy} = 'LOCKED' or ${isInvited}))`
    return selectOpening(reader, ASKED.id, shownId)
  }),
  contributor: prepareBatch((reader) => {
    const shownId = sql`(select memorial_id from ${selectLiveContributor(reader, ASKED, ASKED.now)})`
    return selectOpening(reader, ASKED.id, shownId, true)
  }),
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

const NOT_FOUND = new AppError('not_found', messages.memorial.notFound)
