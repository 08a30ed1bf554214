import {
  eq,
  inArray,
  isNotNull,
  isNull,
  notInArray,
  or,
  sql,
  and,
  type Placeholder,
  type SQL,
  type SQLWrapper,
} from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type {
  AddressState,
  ContributorQuotas,
  ContributorSession,
  ContributorSessionInput,
  InviteCard,
} from '#shared/invites/invites.ts'
import { fillPath } from '#shared/fill-path.ts'
import { GUEST_NAME } from '#shared/ids.ts'
import { CONTRIBUTOR_SESSION_EXPIRES_MS, TOKENS_BATCH } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { paths } from '#shared/pages/pages.ts'
import { afterAnswer, type RequestCtx, type Ctx } from '#worker/platform/ctx.ts'
import { commentLikes, comments } from '#worker/schema/comments.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'
import {
  clearContributorTokens,
  findLiveContributor,
  isOpenLink,
  storeContributorToken,
  type LiveContributor,
} from '#worker/access/contributor-sessions.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { media, resumableUploads } from '#worker/schema/media.table.ts'
import { memorials, isNotDeleted } from '#worker/schema/memorials.table.ts'
import { dropReservations, expireClosedUploads, readContributorQuotas } from '#worker/features/quota/quota.ts'
import { unknownBrowser } from '#worker/access/pepper.ts'
import { existsIn, insertWhere, type Reader } from '#worker/platform/db.ts'
import { hashToken, newId, newToken } from '#worker/platform/random.ts'
import { recordAction } from '#worker/access/audit.ts'
import { requirePin } from '#worker/features/invites/pins.ts'
import { link } from '#worker/platform/links.ts'
import { isStillEditor, limitWrong, type MemorialAccess } from '#worker/access/memorial-access.ts'
import type { Guard } from '#worker/access/route.ts'

/** A "Guest Visitor" may only look; giving a name later replaces this browser's guest. Throws `not_found`. */
export async function createContributorSession(
  ctx: RequestCtx,
  invite: LiveInvite,
  input: ContributorSessionInput,
): Promise<ContributorSession> {
  const memorialId = invite.memorial.id
  const isGuest = input.displayName === GUEST_NAME
  const previous = await findLiveContributor(ctx, memorialId, null)
  const id = newId('contributor')
  const token = newToken()
  const tokenHash = hashToken(token)
  const [created, , , , replaced] = await ctx.db.batch([
    insertWhere(
      ctx.db,
      contributors,
      {
        id,
        memorialId,
        inviteToken: invite.token,
        displayName: input.displayName,
        isGuest,
        email: input.email ? input.email : null,
        tokenHash,
        expiresAt: ctx.now() + CONTRIBUTOR_SESSION_EXPIRES_MS,
        createdAt: ctx.now(),
        deviceHash: unknownBrowser(ctx, memorialId),
      },
      sql`exists (select 1 from ${inviteTokens} inner join ${memorials} on ${memorials.id} = ${inviteTokens.memorialId}
        where ${inviteTokens.token} = ${invite.token} and ${isOpenLink(ctx.now())}
          and ${memorials.privacy} <> 'PRIVATE')`,
      // Giving a name again doesn't end a block.
      { blockedAt: sql`(select blocked_at from ${contributors} where id = ${previous?.id ?? ''})` },
    ).returning({ id: contributors.id }),
    ...replacePrevious(ctx, previous, id),
  ])
  if (created.length === 0) throw new AppError('not_found', messages.invite.invalid)
  await storeContributorToken(ctx, tokenHash, id)
  const guestTokens = replaced.map((guest) => guest.tokenHash)
  afterAnswer(ctx, 'drop_guest_token', () => clearContributorTokens(ctx, guestTokens))
  const own = await readOwnSession(ctx, { id, memorialId, displayName: input.displayName })
  return { ...own, authToken: token }
}

/**
 * A guest can have added only likes, a visitor of the public page also messages: move them to the new session, and delete the old one. A
 * visitor with a mailed link keeps their words, because that link works for longer than any invitation.
 */
function replacePrevious(ctx: RequestCtx, previous: LiveContributor | null, id: string) {
  const oldId = previous?.isGuest || previous?.isVisitor ? previous.id : ''
  const hasMailedLink = existsIn(
    contributors,
    and(eq(contributors.id, previous?.isVisitor ? oldId : ''), isNotNull(contributors.email)),
  )
  const isReplaced = sql`(${existsIn(contributors, eq(contributors.id, id))} and not ${hasMailedLink})`
  return [
    ctx.db
      .update(commentLikes)
      .set({ likedBy: id })
      .where(sql`${commentLikes.likedBy} = ${oldId} and ${isReplaced}`),
    ctx.db
      .update(comments)
      .set({ authorContributorId: id })
      .where(sql`${comments.authorContributorId} = ${oldId} and ${isReplaced}`),
    // Their removed items can still be restored, so those must name a contributor who exists.
    ctx.db
      .update(removedItems)
      .set({
        contributorId: id,
        removedBy: sql`iif(${removedItems.removedBy} = ${oldId}, ${id}, ${removedItems.removedBy})`,
        item: sql`json_set(${removedItems.item}, '$.authorContributorId', ${id})`,
      })
      .where(sql`${removedItems.contributorId} = ${oldId} and ${isReplaced}`),
    ctx.db
      .delete(contributors)
      .where(and(eq(contributors.id, oldId), isReplaced))
      .returning({ tokenHash: contributors.tokenHash }),
  ] as const
}

/** A contributor's own session, with current quotas. It never contains the token, nor the address. */
export async function readOwnSession(
  ctx: Ctx,
  contributor: OwnSession,
): Promise<Omit<ContributorSession, 'authToken'>> {
  const [quotas, address] = await Promise.all([
    readContributorQuotas(ctx, contributor.memorialId, contributor.id),
    selectAddressState(ctx, contributor.id),
  ])
  return toOwnSession(contributor, toAddressState(address), quotas)
}

type OwnSession = Pick<LiveContributor, 'id' | 'memorialId' | 'displayName'>

export function toOwnSession(
  { id, memorialId, displayName }: OwnSession,
  address: AddressState,
  quotas: ContributorQuotas,
): Omit<ContributorSession, 'authToken'> {
  return { memorialId, contributorId: id, displayName, address, quotas }
}

/** Statement: for {@link toAddressState}. No row for guests, visitors of the public page, and who looks after the memorial. */
export function selectAddressState({ db }: Reader, contributorId: string | Placeholder) {
  const added = or(
    existsIn(comments, eq(comments.authorContributorId, contributors.id)),
    existsIn(media, eq(media.contributorId, contributors.id)),
  )
  return db
    .select({
      isKept: sql<boolean>`${contributors.email} is not null`.mapWith(Boolean).as('is_kept'),
      isDue: sql<boolean>`${contributors.addressAskedAt} is null and ${added}`.mapWith(Boolean).as('is_due'),
    })
    .from(contributors)
    .innerJoin(inviteTokens, eq(inviteTokens.token, contributors.inviteToken))
    .where(
      and(
        eq(contributors.id, contributorId),
        eq(contributors.isGuest, false),
        notInArray(inviteTokens.status, ['VISITORS', 'KEEPERS']),
      ),
    )
}

export function toAddressState([row]: { isKept: boolean; isDue: boolean }[]): AddressState {
  if (row?.isKept) return 'KEPT'
  return row?.isDue ? 'ASK' : 'NONE'
}

export type LiveInvite = { token: string; memorial: InviteCard; pinHash: string | null }

/** Returns an insert that adds `count` tokens to the pool if `condition` holds. It binds one parameter for any count. */
export function insertNewTokens(ctx: Ctx, count: number, condition: SQL = sql`true`) {
  const tokens = JSON.stringify(Array.from({ length: count }, () => crypto.randomUUID()))
  return ctx.db.insert(inviteTokens)
    .select(sql`select value, 'AVAILABLE', null, null, null, null, null, null, ${ctx.now()}
    from json_each(${tokens}) where ${condition}`)
}

/** Refill an empty pool, take the oldest token, read it: in one batch, so parallel requests get the same link. */
function assignStatements(ctx: Ctx, access: MemorialAccess) {
  const memorialId = access.memorial.id
  const isEditor = isStillEditor(access) ?? sql`true`
  const isEmpty = sql`not exists (select 1 from ${inviteTokens} where ${inviteTokens.status} = 'AVAILABLE')`
  return [
    insertNewTokens(ctx, TOKENS_BATCH, isEmpty),
    ctx.db.update(inviteTokens).set({ status: 'ASSIGNED', memorialId, assignedAt: ctx.now() })
      .where(sql`${inviteTokens.token} = (
          select token from ${inviteTokens} where status = 'AVAILABLE' order by created_at, token limit 1)
        and ${isEditor} and not exists (select 1 from ${inviteTokens}
          where memorial_id = ${memorialId} and status = 'ASSIGNED' and name is null)`),
    ctx.db
      .select({ token: inviteTokens.token })
      .from(inviteTokens)
      .where(
        and(
          eq(inviteTokens.memorialId, memorialId),
          eq(inviteTokens.status, 'ASSIGNED'),
          isFirst(),
          /* prove: invite-link-needs-keeper */ isEditor,
        ),
      ),
  ] as const
}

/** SQL condition: the link is its memorial's first one, and not one that the family made beside it. */
function isFirst(): SQL {
  return isNull(inviteTokens.name)
}

function toInviteLink(ctx: Ctx, { role }: MemorialAccess, rows: { token: string }[]): string {
  const [row] = rows
  // They were removed after access was checked.
  if (!row && role === 'KEEPER') throw new AppError('forbidden', messages.memorial.ownerOnly)
  if (!row) throw new Error('no invitation token was assigned')
  return link(ctx, fillPath(paths.invite, row))
}

/** Returns the memorial's first invitation link, assigned from the pool on first use. Throws `forbidden` for a keeper who was just removed. */
export async function requireInviteLink(ctx: Ctx, access: MemorialAccess): Promise<string> {
  const [, , , rows] = await ctx.db.batch([
    recordAction(ctx, access, { action: 'see_invite_link' }),
    ...assignStatements(ctx, access),
  ])
  return toInviteLink(ctx, access, rows)
}

/**
 * Revokes the first link, every contributor session that used it and what they are sending, assigns another link and returns it. Throws as
 * {@link requireInviteLink}.
 */
export async function rotateInviteLink(ctx: Ctx, access: MemorialAccess): Promise<string> {
  const memorialId = access.memorial.id
  const [, , , , , rows] = await ctx.db.batch([
    recordAction(ctx, access, { action: 'rotate_invite_link' }),
    ...revokeInviteLinks(
      ctx,
      [memorialId],
      and(isFirst(), /* prove: rotation-needs-keeper */ isStillEditor(access)),
    ),
    ...assignStatements(ctx, access),
  ])
  const inviteLink = toInviteLink(ctx, access, rows)
  await dropReservations(ctx, memorialId)
  return inviteLink
}

/**
 * Statements: revoke the links of these memorials (ids or a subselect), or only some of them, and with them their contributor sessions and what
 * they are sending. The second returns the memorials of dropped uploads, for {@link dropReservations}.
 */
export function revokeInviteLinks(ctx: Ctx, memorialIds: string[] | SQLWrapper, which?: SQL) {
  return [
    ctx.db
      .update(inviteTokens)
      .set({ status: 'REVOKED', revokedAt: ctx.now() })
      // The plus keeps SQLite from reading every assigned link by its status.
      .where(
        and(inArray(inviteTokens.memorialId, memorialIds), sql`+${inviteTokens.status} = 'ASSIGNED'`, which),
      )
      .returning({ token: inviteTokens.token }),
    expireClosedUploads(ctx, inArray(resumableUploads.memorialId, memorialIds)).returning({
      memorialId: resumableUploads.memorialId,
    }),
  ] as const
}

/** Returns the invitation for a token. Throws `not_found` for one that is unknown or has ended, `memorial_private` while PRIVATE. */
async function requireLiveInvite(ctx: Ctx, token: string): Promise<LiveInvite> {
  const [row] = await ctx.db
    .select({
      pinHash: inviteTokens.pinHash,
      id: memorials.id,
      slug: memorials.slug,
      honoureeFullName: memorials.honoureeFullName,
      title: memorials.title,
      privacy: memorials.privacy,
      dateOfBirth: memorials.dateOfBirth,
      dateOfBirthPrecision: memorials.dateOfBirthPrecision,
      dateOfDeath: memorials.dateOfDeath,
      dateOfDeathPrecision: memorials.dateOfDeathPrecision,
      coverMediaId: memorials.coverMediaId,
      profileMediaId: memorials.profileMediaId,
    })
    .from(inviteTokens)
    .innerJoin(memorials, eq(memorials.id, inviteTokens.memorialId))
    .where(and(eq(inviteTokens.token, token), isOpenLink(ctx.now()), isNotDeleted()))
  if (!row) throw new AppError('not_found', messages.invite.invalid)
  const { pinHash, ...memorial } = row
  if (memorial.privacy === 'PRIVATE') throw new AppError('memorial_private', messages.memorial.private)
  return { token, memorial, pinHash }
}

/** An invitation that may still ask for its PIN. Limits unknown links only: a link has 122 random bits. */
export const invitePin: Guard<LiveInvite> = (ctx, { params }) =>
  limitWrong(ctx, requireLiveInvite(ctx, params['token'] ?? ''))

/** The same for a browser that has given the PIN, if there is one. Throws `pin_needed`. */
export const liveInvite: Guard<LiveInvite> = async (ctx, input) => {
  const invite = await invitePin(ctx, input)
  await requirePin(ctx, invite)
  return invite
}
