import { existsIn, type Reader } from '#worker/platform/db.ts'
import { and, eq, getTableColumns, inArray, ne, or, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { AppError } from '#shared/errors.ts'
import type { User } from '#shared/accounts/accounts.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { auditHiddenVisit, auditVisit } from '#worker/access/audit.ts'
import {
  findLiveContributor,
  isLiveInvite,
  SESSION_LINKS,
  type LinkStatus,
  type LiveContributor,
} from '#worker/access/contributor-sessions.ts'
import { isKeeper, selectKeeper, toLiveKeeper, type LiveKeeper } from '#worker/access/keepers.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { decideAccess, type Access, type Action } from '#worker/access/access.ts'
import { canBeTakenBack, isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { limitByIp } from '#worker/access/guards.ts'
import type { Guard, GuardInput } from '#worker/access/route.ts'
import { pseudonymousId } from '#worker/platform/random.ts'

export type MemorialRow = typeof memorials.$inferSelect & { isPaid: boolean; canBeTakenBack: boolean }
/** A memorial, the contributor behind the request, and what the viewer may do. */
export type MemorialAccess = Access & { memorial: MemorialRow; contributor: LiveContributor | null }
/** Credentials for this memorial in a request, besides the session. */
export type MemorialCredentials = { contributorToken: string | null; inviteToken: string | null }

const NO_CREDENTIALS: MemorialCredentials = { contributorToken: null, inviteToken: null }
/** Counts wrong invitations only: many relatives behind one IP address send the right one, and so does every image of a page. */
export const limitWrongInvites = limitByIp('LIMIT_INVITE')

/** Waits for a link or code to be found, and counts it if it isn't: a whole family may open theirs behind one address. */
export async function limitWrong<T>(ctx: RequestCtx, finding: Promise<T>): Promise<T> {
  try {
    return await finding
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') await limitWrongInvites(ctx)
    throw error
  }
}

/** Slugs have a random suffix. Counts failed lookups only, so that many visitors behind one IP address get in. */
const limitGuesses = limitByIp('LIMIT_SLUG')

/** Columns of a memorial plus `isPaid` and `canBeTakenBack`. A payment is attached only after it is PAID, and permanently. */
export function memorialColumns() {
  return {
    ...getTableColumns(memorials),
    isPaid: sql<boolean>`${isPaid()}`.mapWith(Boolean),
    canBeTakenBack: sql<boolean>`${canBeTakenBack()}`.mapWith(Boolean),
  }
}

/** SQL condition: a payment is attached to the memorial of the enclosing statement. */
export function isPaid(): SQL {
  return existsIn(payments, eq(payments.memorialId, memorials.id))
}

/** SQL: {@link Access.refuseChange} still allows the change. A contributor needs {@link acceptsFrom}. */
export function isStillAllowed(found: MemorialAccess): SQL | undefined {
  return found.canEdit ? isStillEditor(found) : acceptsFrom(found)
}

/** SQL condition: an editor is still one at the write. A keeper may have been removed; owner and admins are always. */
export function isStillEditor({ role, contributor }: MemorialAccess): SQL | undefined {
  if (role !== 'KEEPER') return undefined
  // prove: write-needs-keeper
  return isKeeper(contributor?.id ?? '', ['KEEPER'])
}

/** SQL condition: whoever decides about what waits may still do so at the write. */
export function isStillApprover({ role, contributor }: MemorialAccess): SQL | undefined {
  // prove: decides-while-keeper
  return role === 'KEEPER' || role === 'HELPER' ? isKeeper(contributor?.id ?? '') : undefined
}

/** SQL condition: the family of this memorial lets people ask to be let in, at the moment of the write. The same rule as {@link decideAccess}. */
export function takesRequests(memorialId: string): SQL {
  return existsIn(
    memorials,
    and(
      eq(memorials.id, memorialId),
      isNotDeleted(),
      /* prove: requests-need-paid-memorial */ isPaid(),
      /* prove: requests-need-setting */ or(
        and(eq(memorials.mayAsk, 'ALSO_PRIVATE'), ne(memorials.privacy, 'LOCKED')),
        and(eq(memorials.mayAsk, 'INVITE_ONLY'), eq(memorials.privacy, 'INVITE')),
      ),
    ),
  )
}

/** SQL: {@link Access.refuseRemoval} still allows the removal. A contributor needs a live invitation, and INVITE or LOCKED. */
export function isStillRemovable(found: MemorialAccess): SQL | undefined {
  if (found.canEdit) return isStillEditor(found)
  const contributorId = found.contributor?.id ?? ''
  return isOpenTo(
    found,
    found.role === 'HELPER'
      ? isKeeper(contributorId)
      : and(
          /* prove: removal-needs-shown-memorial */ ne(memorials.privacy, 'PRIVATE'),
          /* prove: removal-needs-live-link */ hasLiveLink(contributorId, SESSION_LINKS),
        ),
  )
}

/**
 * SQL condition: the memorial accepts media and comments from this viewer at the moment of the write. From its owner, keepers and helpers
 * unless LOCKED; from a contributor while INVITE and their invitation is live. The same rule as {@link decideAccess}.
 */
export function acceptsFrom(found: MemorialAccess): SQL {
  const { memorial, role, contributor } = found
  const isAccepted =
    role === 'OWNER'
      ? and(eq(memorials.ownerId, memorial.ownerId), ne(memorials.privacy, 'LOCKED'))
      : acceptsContributor(contributor?.id ?? '')
  return isOpenTo(found, isAccepted)
}

/** SQL condition: the memorial of the enclosing statement takes files and words from this contributor, whether or not they ask at the moment. */
export function acceptsContributor(contributorId: string | SQLiteColumn): SQL | undefined {
  return or(
    and(
      /* prove: write-needs-open-memorial */ eq(memorials.privacy, 'INVITE'),
      /* prove: write-needs-live-link */ hasLiveLink(contributorId),
    ),
    and(ne(memorials.privacy, 'LOCKED'), /* prove: adding-needs-keeper */ isKeeper(contributorId)),
  )
}

/** Why the condition of a write has just prevented it: memorial or invitation changed after access was checked. */
export async function refusalAtWrite(
  ctx: Reader,
  { memorial: { id }, role, contributor }: MemorialAccess,
  action: 'contribute' | 'leaveMessage' = 'contribute',
): Promise<AppError> {
  const contributorId = contributor?.id ?? ''
  const hasLink = sql<boolean>`${hasLiveLink(contributorId, SESSION_LINKS)}`.mapWith(Boolean)
  const keeps = sql<boolean>`${isKeeper(contributorId)}`.mapWith(Boolean)
  const [now] = await ctx.db
    .select({ ...memorialColumns(), hasLink, keeps })
    .from(memorials)
    .where(eq(memorials.id, id))
  if (!now) return new AppError('not_found', messages.memorial.notFound)
  const user = role === 'OWNER' ? { id: now.ownerId, isAdmin: false } : null
  const isKept = now.keeps && contributor && (role === 'KEEPER' || role === 'HELPER')
  const keeper = isKept ? { role, mayExport: false, contributor } : null
  const isSame = now.hasLink || keeper !== null
  const viewer = { user, keeper, contributor: isSame ? contributor : null, hasInvite: false }
  const refusal = accessOf(now, viewer).refuse(action)
  // Allowed again: the memorial was locked for that moment only, or the owner has removed this upload.
  return refusal
    ? new AppError(refusal.code, refusal.message)
    : new AppError('memorial_locked', messages.memorial.locked)
}

/** The stand-in for an invitation of those who leave words on the public page of this memorial. It opens nothing. */
export function visitorsLink(memorialId: string): string {
  return `visitors-${memorialId}`
}

/** SQL condition: the memorial takes messages from visitors at the moment of the write. The same rule as {@link decideAccess}. */
export function takesVisitorMessages(found: MemorialAccess): SQL {
  return isOpenTo(
    found,
    and(
      /* prove: visitors-need-public-memorial */ eq(memorials.privacy, 'LOCKED'),
      /* prove: visitors-need-open-door */ ne(memorials.visitorMessages, 'NOBODY'),
    ),
  )
}

function isOpenTo({ memorial }: MemorialAccess, isOpen: SQL | undefined): SQL {
  return existsIn(
    memorials,
    and(eq(memorials.id, memorial.id), /* prove: write-needs-existing-memorial */ isNotDeleted(), isOpen),
  )
}

/** SQL condition: the invitation link by which this contributor came still works. */
export function hasLiveLink(
  contributorId: string | SQLiteColumn,
  live: readonly LinkStatus[] = ['ASSIGNED'],
): SQL {
  return sql`exists (select 1 from ${contributors}
    inner join ${inviteTokens} on ${inviteTokens.token} = ${contributors.inviteToken}
    where ${contributors.id} = ${contributorId} and ${inArray(inviteTokens.status, live)})`
}

/** The memorial with this id in any state, or null. Doesn't check access: see {@link requireAccess}. */
export async function findMemorial(ctx: Reader, id: string): Promise<MemorialRow | null> {
  const [row] = await ctx.db.select(memorialColumns()).from(memorials).where(eq(memorials.id, id))
  return row ?? null
}

/** The user id for editors, else a pseudonymous id: the real id would link all memorials of one owner. */
export function visibleUserId(
  userId: string,
  { memorial, canEdit }: Pick<MemorialAccess, 'memorial' | 'canEdit'>,
): string {
  return canEdit ? userId : pseudonymousId('user', userId, memorial.id)
}

/** Decides what the viewer may do with `memorial`. Looks up only the credentials in the request. */
export async function accessFor(
  ctx: RequestCtx,
  memorial: MemorialRow,
  presented: MemorialCredentials = NO_CREDENTIALS,
): Promise<MemorialAccess> {
  const { user } = ctx
  if (user?.id === memorial.ownerId)
    return accessOf(memorial, { user, keeper: null, contributor: null, hasInvite: false })
  const [contributor, hasInvite, kept] = await Promise.all([
    findLiveContributor(ctx, memorial.id, presented.contributorToken),
    presented.inviteToken === null ? false : isLiveInvite(ctx, presented.inviteToken, memorial.id),
    user ? selectKeeper(ctx, memorial.id, user.id) : [],
  ])
  return accessOf(memorial, { user, keeper: toLiveKeeper(kept[0]), contributor, hasInvite })
}

type KnownViewer = {
  user: Pick<User, 'id' | 'isAdmin'> | null
  keeper?: LiveKeeper | null
  contributor: LiveContributor | null
  hasInvite: boolean
}

/** What somebody may do. Whoever left words on the public page is known there only: elsewhere, their session counts as none. */
export function accessOf(
  memorial: MemorialRow,
  { user, keeper = null, contributor, hasInvite }: KnownViewer,
): MemorialAccess {
  // They add under their own name, whatever invitation this browser opened.
  if (keeper && !user?.isAdmin) {
    const viewer = { user, keeper, contributor: keeper.contributor, hasInvite }
    return { memorial, contributor: keeper.contributor, ...decideAccess(viewer, memorial) }
  }
  // prove: visitors-need-public-page
  if (contributor?.isVisitor && memorial.privacy !== 'LOCKED')
    return accessOf(memorial, { user, contributor: null, hasInvite })
  return { memorial, contributor, ...decideAccess({ user, keeper: null, contributor, hasInvite }, memorial) }
}

/** For an upload that is finished without a request of its sender. {@link acceptsFrom} checks the invitation, or that they are a keeper. */
export function accessForSender(
  memorial: MemorialRow,
  contributorId: string | null,
  keeper: LiveKeeper | null = null,
): MemorialAccess {
  if (keeper) return accessOf(memorial, { user: null, keeper, contributor: null, hasInvite: false })
  const contributor =
    contributorId === null
      ? null
      : {
          id: contributorId,
          memorialId: memorial.id,
          inviteToken: '',
          displayName: '',
          isGuest: false,
          isVisitor: false,
        }
  const user = contributor ? null : { id: memorial.ownerId, isAdmin: false }
  return accessOf(memorial, { user, contributor, hasInvite: false })
}

/** Returns the memorial if `action` is allowed; else throws the refusal, or `not_found`. */
export async function requireAccess(
  ctx: RequestCtx,
  memorial: MemorialRow | null,
  action: Action,
  presented: MemorialCredentials = NO_CREDENTIALS,
): Promise<MemorialAccess> {
  if (!memorial) {
    // Signed-out viewers get 401 for every id, so they can't find out which exist.
    if ((action === 'edit' || action === 'readPrivate' || action === 'export') && !ctx.user)
      throw new AppError('not_signed_in', messages.login.needed)
    throw new AppError('not_found', messages.memorial.notFound)
  }
  const result = await accessFor(ctx, memorial, presented)
  const refusal = result.refuse(action)
  if (refusal) {
    if (presented.inviteToken !== null && refusal.code === 'invitation_needed') await limitWrongInvites(ctx)
    throw new AppError(refusal.code, refusal.message, refusal)
  }
  return result
}

/** Reads the credentials of a call: `contributorToken` in the body and `?invite=` in the URL. */
export function credentialsIn({ query, rawBody }: GuardInput): MemorialCredentials {
  const bodyToken =
    typeof rawBody === 'object' && rawBody !== null && 'contributorToken' in rawBody
      ? rawBody.contributorToken
      : null
  return {
    contributorToken: typeof bodyToken === 'string' && bodyToken !== '' ? bodyToken : null,
    inviteToken: query['invite'] ?? null,
  }
}

/** Route guard: the memorial with id `:id`, if the viewer may do `action`. */
export function memorialFor(action: Action): Guard<MemorialAccess> {
  return async (ctx, input) => {
    const memorial = await findMemorial(ctx, input.params['id'] ?? '')
    const found = await requireAccess(ctx, memorial, action, credentialsIn(input))
    if (action === 'view') await auditVisit(ctx, input, found)
    return found
  }
}

/** Route guard for lists that not everybody sees. An admin's look is recorded also while the memorial is public: they aren't. */
function readerFor(action: Action): Guard<MemorialAccess> {
  return async (ctx, input) => {
    const found = await memorialFor(action)(ctx, input)
    await auditHiddenVisit(ctx, input, found)
    return found
  }
}
/** For lists that only editors see, and for what waits until somebody decides about it. */
export const privateReader = readerFor('readPrivate')
export const queueReader = readerFor('approve')
/** For who looks after a memorial, and what they did. */
export const keepersReader = readerFor('seeKeepers')
export const successorsReader = readerFor('seeSuccessors')

/** Guards of a route for people who may view, or edit, the memorial `:id`. */
export const forViewers = { access: memorialFor('view') }
export const forEditors = { access: memorialFor('edit') }
/** Guards of a route for people who decide about what waits. */
export const forApprovers = { access: memorialFor('approve') }

/** Route guard: the memorial with slug `:slug`, if the viewer may see it. */
export const memorialBySlug: Guard<MemorialAccess> = async (ctx, input) => {
  const isNamed = eq(memorials.slug, input.params['slug'] ?? '')
  const [memorial = null] = await ctx.db.select(memorialColumns()).from(memorials).where(isNamed)
  try {
    const found = await requireAccess(ctx, memorial, 'view', credentialsIn(input))
    await auditVisit(ctx, input, found)
    return found
  } catch (error) {
    if (error instanceof AppError) await limitGuesses(ctx)
    throw error
  }
}
