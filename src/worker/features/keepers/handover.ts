import { and, eq, gt, inArray, isNull, lte, ne, not, or, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { User } from '#shared/accounts/accounts.ts'
import { AppError } from '#shared/errors.ts'
import { handoverRefusals } from '#shared/keepers/handover-refusals.ts'
import { keeperMessages } from '#shared/keepers/keeper-messages.ts'
import type { Handover } from '#shared/keepers/keepers.ts'
import { HANDOVER_EXPIRES_MS } from '#shared/limits.ts'
import { recordFamilyAction } from '#worker/access/family-actions.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { requireProofs } from '#worker/access/confirmed.ts'
import { fullName } from '#worker/features/keepers/keeper-invites.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { enqueueMail, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { newId } from '#worker/platform/random.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { handovers, keepers } from '#worker/schema/keepers.table.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'

type UserId = string | SQLiteColumn

/** SQL condition: an offer that its memorial's owner has made, and that can be accepted. */
export function isOpenOffer(ctx: Ctx): SQL {
  const { memorialId, fromUserId, acceptedAt, expiresAt } = handovers
  const isOwners = existsIn(memorials, and(eq(memorials.id, memorialId), eq(memorials.ownerId, fromUserId)))
  return and(isNull(acceptedAt), /* prove: offer-ends */ gt(expiresAt, ctx.now()), isOwners)!
}

/** SQL condition on `handovers`: this user can take the memorial back. */
export function canTakeBack(ctx: Ctx, userId: UserId): SQL {
  const { fromUserId, takeBackUntil } = handovers
  return and(
    /* prove: former-owner-takes-back */ eq(fromUserId, userId),
    /* prove: take-back-in-time */ gt(takeBackUntil, ctx.now()),
  )!
}

/** SQL condition: this person, who keeps the memorial now, owned it before and can take it back. */
export function isFormerOwner(ctx: Ctx, memorialId: string, userId: UserId): SQL {
  return existsIn(handovers, and(eq(handovers.memorialId, memorialId), canTakeBack(ctx, userId)))
}

/** Statement: the offer that is open, or the change that can be taken back. For {@link toHandover}. */
export function selectHandover(ctx: Ctx, memorialId: string) {
  const keeper = sql<string>`iif(${handovers.acceptedAt} is null, ${handovers.toUserId}, ${handovers.fromUserId})`
  return ctx.db
    .select({ handover: handovers, userId: keeper.as('keeper'), name: fullName() })
    .from(handovers)
    .innerJoin(users, sql`${users.id} = ${keeper}`)
    .where(
      and(eq(handovers.memorialId, memorialId), or(isOpenOffer(ctx), gt(handovers.takeBackUntil, ctx.now()))),
    )
}

export function toHandover(
  found: Awaited<ReturnType<typeof selectHandover>>[number] | undefined,
  you: string | null,
): Handover | null {
  if (!found) return null
  const { handover, userId, name } = found
  const { acceptedAt, expiresAt, takeBackUntil } = handover
  return {
    state: acceptedAt === null ? 'OFFERED' : 'TAKEN_OVER',
    name,
    isYou: userId === you,
    until: new Date(takeBackUntil ?? expiresAt).toISOString(),
  }
}

/**
 * Offers a paid memorial to a keeper, who has seven days to accept, and mails them. Throws `confirmation_needed` unless the owner has just proved that it's them,
 * `payment_required`, `not_found`
 * for who is no keeper, `conflict` while it's offered already or can still be taken back, `too_many_requests`.
 */
export async function offerHandover(
  ctx: RequestCtx,
  user: User,
  access: MemorialAccess,
  keeperId: string,
): Promise<void> {
  const { memorial } = access
  const isProved = await requireProofs(ctx)
  if (!memorial.isPaid) throw new AppError('payment_required', handoverRefusals.unpaid)
  const isTarget = and(eq(keepers.contributorId, keeperId), eq(keepers.memorialId, memorial.id))
  const [keeper] = await ctx.db
    .select({ userId: keepers.userId, role: keepers.role, email: users.email })
    .from(keepers)
    .innerJoin(users, eq(users.id, keepers.userId))
    .where(isTarget)
  if (!keeper) throw new AppError('not_found', keeperMessages.notFound)
  if (keeper.role !== 'KEEPER') throw new AppError('conflict', handoverRefusals.onlyKeepers)
  await requireRateLimit(ctx, 'handovers', memorial.id)
  const isOfMemorial = eq(handovers.memorialId, memorial.id)
  const row = {
    id: newId('handover'),
    memorialId: memorial.id,
    fromUserId: user.id,
    toUserId: keeper.userId,
    mayExport: false,
    expiresAt: ctx.now() + HANDOVER_EXPIRES_MS,
    createdAt: ctx.now(),
  }
  const isStill = and(
    isProved,
    existsIn(keepers, and(isTarget, eq(keepers.role, 'KEEPER'))),
    existsIn(memorials, and(eq(memorials.id, memorial.id), eq(memorials.ownerId, user.id), isNotDeleted())),
  )
  const isFree = and(
    not(existsIn(handovers, and(isOfMemorial, isNull(handovers.acceptedAt)))),
    /* prove: no-second-handover */ not(
      existsIn(handovers, and(isOfMemorial, gt(handovers.takeBackUntil, ctx.now()))),
    ),
  )
  const isMade = existsIn(handovers, eq(handovers.id, row.id))
  const mail = insertMailWhere(
    ctx,
    { kind: 'handover-offer', recipient: keeper.email, subjectId: row.id },
    isMade,
  )
  const hasEnded = or(lte(handovers.expiresAt, ctx.now()), ne(handovers.fromUserId, user.id))
  const [, [made]] = await ctx.db.batch([
    ctx.db.delete(handovers).where(and(isOfMemorial, isNull(handovers.acceptedAt), hasEnded)),
    insertWhere(ctx.db, handovers, row, and(isStill, isFree)!).returning({ id: handovers.id }),
    recordFamilyAction(ctx, access, 'offer_handover', isMade),
    mail.statement,
  ])
  if (!made) {
    const { offeredAlready, justTakenOver } = handoverRefusals
    throw new AppError('conflict', memorial.canBeTakenBack ? justTakenOver : offeredAlready)
  }
  await enqueueMail(ctx, mail.id)
}

/** The owner withdraws the offer, or the keeper declines it. Throws `not_found`. */
export async function endHandover(ctx: RequestCtx, access: MemorialAccess): Promise<void> {
  const { memorial, role } = access
  const isOwner = role === 'OWNER'
  const isTarget = and(
    eq(handovers.memorialId, memorial.id),
    isNull(handovers.acceptedAt),
    /* prove: declines-own-offer */ isOwner ? undefined : eq(handovers.toUserId, ctx.user?.id ?? ''),
  )
  const action = isOwner ? 'withdraw_handover' : 'decline_handover'
  const [, [ended]] = await ctx.db.batch([
    recordFamilyAction(ctx, access, action, existsIn(handovers, isTarget)),
    ctx.db.delete(handovers).where(isTarget).returning({ id: handovers.id }),
  ])
  if (!ended) throw new AppError('not_found', handoverRefusals.over)
}

/** Statement: whoever matches `isTarget`, a condition on `keepers`, can't accept this memorial any more. Put it before the change that ends their keeping. */
export function endOffersTo(ctx: Ctx, memorialId: string, isTarget: SQL | undefined) {
  const isTheirs = existsIn(keepers, and(isTarget, eq(keepers.userId, handovers.toUserId)))
  return ctx.db
    .delete(handovers)
    .where(and(eq(handovers.memorialId, memorialId), isNull(handovers.acceptedAt), isTheirs))
}

/** Statements: the same for taking it back, which whoever leaves gives up. */
export function endTakingBackBy(ctx: Ctx, memorialId: string, isTarget: SQL | undefined) {
  const isTheirs = existsIn(keepers, and(isTarget, eq(keepers.userId, handovers.fromUserId)))
  return endTakingBack(ctx, and(eq(handovers.memorialId, memorialId), isTheirs))
}

/** Statements: memorials can't be taken back any more by whoever handed them over in rows of `handovers` that match `which`. */
export function endTakingBack({ db, now }: Ctx, which: SQL | undefined) {
  const isOpen = and(gt(handovers.takeBackUntil, now()), which)
  const changed = db.select({ id: handovers.memorialId }).from(handovers).where(isOpen)
  return [
    db.update(memorials).set({ takeBackUntil: null }).where(inArray(memorials.id, changed)),
    db.update(handovers).set({ takeBackUntil: null }).where(isOpen),
  ] as const
}
