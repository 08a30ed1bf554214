import { and, eq, exists, getTableColumns, ne, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { auditVisit } from '#worker/access/audit.ts'
import {
  findLiveContributor,
  isLiveInvite,
  type LiveContributor,
} from '#worker/access/contributor-sessions.ts'
import { contributors, inviteTokens } from '#worker/schema/invites.table.ts'
import { decideAccess, type Access, type Action } from '#worker/access/access.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'
import { limitByIp } from '#worker/access/guards.ts'
import type { Guard, GuardInput } from '#worker/access/route.ts'
import type { Db } from '#worker/platform/db.ts'
import { pseudonymousId } from '#worker/platform/random.ts'

export type MemorialRow = typeof memorials.$inferSelect & { isPaid: boolean }
/** A memorial, who is asking, and what they may do with it. */
export type MemorialAccess = { memorial: MemorialRow; access: Access; contributor: LiveContributor | null }
/** What a request shows for this memorial besides its session. */
export type MemorialCredentials = { contributorToken: string | null; inviteToken: string | null }

const NOTHING: MemorialCredentials = { contributorToken: null, inviteToken: null }
/** Only what is refused counts: a page of pictures shows one right invitation many times. */
const limitWrongInvites = limitByIp('LIMIT_INVITE')
/** Names can be guessed, the end of an address hardly: only what is refused counts, so a crowd behind one address comes in. */
const limitGuesses = limitByIp('LIMIT_SLUG')

/** Columns of a memorial with `isPaid`: a payment is attached only once it is PAID, and stays. */
export function memorialColumns(db: Db) {
  return {
    ...getTableColumns(memorials),
    isPaid: sql<boolean>`${isPaid(db)}`.mapWith(Boolean),
  }
}

/** In SQL: a payment is attached to the memorial of the statement around it. */
export function isPaid(db: Db): SQL {
  return exists(
    db
      .select({ one: sql`1` })
      .from(payments)
      .where(eq(payments.memorialId, memorials.id)),
  )
}

/**
 * In SQL: this person may still change what they were let in for ({@link Access.refuseChange}): the owner or an admin
 * always, a contributor as long as the memorial would take something new from them.
 */
export function isStillAllowed(db: Db, found: MemorialAccess): SQL | undefined {
  return found.access.canEdit ? undefined : isOpenFor(db, found)
}

/**
 * In SQL: the memorial takes media and messages from this person at the moment of the write: from its owner while not
 * LOCKED, from a contributor while INVITE and while the link they came by is live. The rule is {@link decideAccess}'s.
 */
export function isOpenFor(db: Db, { memorial, contributor, access }: MemorialAccess): SQL {
  const hasLiveLink = exists(
    db
      .select({ one: sql`1` })
      .from(contributors)
      .innerJoin(inviteTokens, eq(inviteTokens.token, contributors.inviteToken))
      .where(and(eq(contributors.id, contributor?.id ?? ''), eq(inviteTokens.status, 'ASSIGNED'))),
  )
  const takes =
    access.role === 'OWNER'
      ? and(eq(memorials.ownerId, memorial.ownerId), ne(memorials.privacy, 'LOCKED'))
      : and(eq(memorials.privacy, 'INVITE'), hasLiveLink)
  return exists(
    db
      .select({ one: sql`1` })
      .from(memorials)
      .where(and(eq(memorials.id, memorial.id), isNotDeleted(), takes)),
  )
}

/** The memorial with this id in whatever state, or null. Use {@link requireAccess} for anything a person asks for. */
export async function findMemorial(ctx: { db: Db }, id: string): Promise<MemorialRow | null> {
  const [row] = await ctx.db.select(memorialColumns(ctx.db)).from(memorials).where(eq(memorials.id, id))
  return row ?? null
}

/** The memorial with this slug in whatever state, or null. */
export async function findMemorialBySlug(ctx: { db: Db }, slug: string): Promise<MemorialRow | null> {
  const [row] = await ctx.db.select(memorialColumns(ctx.db)).from(memorials).where(eq(memorials.slug, slug))
  return row ?? null
}

/** A person's account id as this viewer may know it: strangers could tell by it whose other memorials are. */
export function visibleUserId(
  userId: string,
  { memorial, access }: Pick<MemorialAccess, 'memorial' | 'access'>,
): string {
  return access.canEdit ? userId : pseudonymousId('user', userId, memorial.id)
}

/** Decides what the person behind `ctx` may do with `memorial`. Looks up only credentials that were shown. */
export async function accessFor(
  ctx: RequestCtx,
  memorial: MemorialRow,
  presented: MemorialCredentials = NOTHING,
): Promise<MemorialAccess> {
  const isOwner = ctx.user?.id === memorial.ownerId
  const [contributor, hasInvite] = isOwner
    ? [null, false]
    : await Promise.all([
        findLiveContributor(ctx, memorial.id, presented.contributorToken),
        presented.inviteToken === null ? false : isLiveInvite(ctx, presented.inviteToken, memorial.id),
      ])
  return { memorial, contributor, access: decideAccess({ user: ctx.user, contributor, hasInvite }, memorial) }
}

/**
 * What somebody may do who began something here earlier and is not asking now: the owner, or a contributor by id. Whether
 * their link is still live {@link isOpenFor} sees at the moment of the write.
 */
export function accessOfSender(memorial: MemorialRow, contributorId: string | null): MemorialAccess {
  const contributor =
    contributorId === null
      ? null
      : { id: contributorId, memorialId: memorial.id, inviteToken: '', displayName: '', isGuest: false }
  const user = contributor ? null : { id: memorial.ownerId, isAdmin: false }
  return { memorial, contributor, access: decideAccess({ user, contributor, hasInvite: false }, memorial) }
}

/** The memorial if `action` is allowed on it, else throws what the access decision says, or `not_found`. */
export async function requireAccess(
  ctx: RequestCtx,
  memorial: MemorialRow | null,
  action: Action,
  presented: MemorialCredentials = NOTHING,
): Promise<MemorialAccess> {
  if (!memorial) {
    // Whoever is nobody here learns nothing about which ids exist.
    if ((action === 'edit' || action === 'oversee' || action === 'export') && !ctx.user)
      throw new AppError('not_signed_in', messages.login.needed)
    throw new AppError('not_found', messages.memorial.notFound)
  }
  const result = await accessFor(ctx, memorial, presented)
  const refusal = result.access.refuse(action)
  if (refusal) {
    if (presented.inviteToken !== null) await limitWrongInvites(ctx)
    throw new AppError(refusal.code, refusal.message)
  }
  return result
}

/** Reads from a call what was shown for a memorial: `contributorToken` in the body, `?invite=` in the address. */
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

/** Route guard: the memorial named by `:id`, if the caller may do `action` with it. */
export function memorialFor(action: Action): Guard<MemorialAccess> {
  return async (ctx, input) => {
    const memorial = await findMemorial(ctx, input.params['id'] ?? '')
    const found = await requireAccess(ctx, memorial, action, credentialsIn(input))
    if (action === 'view') await auditVisit(ctx, input, found)
    return found
  }
}

/** Route guard: the memorial named by `:slug`, if the caller may see it. */
export const memorialBySlug: Guard<MemorialAccess> = async (ctx, input) => {
  const memorial = await findMemorialBySlug(ctx, input.params['slug'] ?? '')
  try {
    const found = await requireAccess(ctx, memorial, 'view', credentialsIn(input))
    await auditVisit(ctx, input, found)
    return found
  } catch (error) {
    if (error instanceof AppError) await limitGuesses(ctx)
    throw error
  }
}
