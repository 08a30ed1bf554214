import { and, eq, isNotNull, isNull, ne, sql, type SQL } from 'drizzle-orm'
import type { User } from '#shared/accounts/accounts.ts'
import { AppError } from '#shared/errors.ts'
import { CLAIM_UNDONE_MS, SUCCESSION_STEPS_MS } from '#shared/limits.ts'
import { claimMessages } from '#shared/keepers/claim-messages.ts'
import type { Claimable } from '#shared/keepers/successors.ts'
import { insertFamilyAction } from '#worker/access/family-actions.ts'
import { changeOwner } from '#worker/features/keepers/change-owner.ts'
import { fullName } from '#worker/features/keepers/keeper-invites.ts'
import { isInForce, isOpen } from '#worker/features/successors/succession-state.ts'
import { afterAnswer, type Ctx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { enqueueMails, insertMailWhere, type MailKind } from '#worker/platform/providers/mail.ts'
import { newId } from '#worker/platform/random.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { handovers, keepers } from '#worker/schema/keepers.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { successions, successors } from '#worker/schema/successors.table.ts'

/** SQL condition on `successors`: this is somebody with the user's own address, which they have confirmed. */
function isUser({ db }: Ctx, { id }: User): SQL {
  const address = db
    .select({ email: users.email })
    .from(users)
    .where(and(eq(users.id, id), /* prove: successor-confirmed */ isNotNull(users.emailVerifiedAt)))
  return eq(successors.email, address)
}

/** SQL condition on `successions`: its owner named this user. */
function isNamed(ctx: Ctx, user: User): SQL {
  return existsIn(
    successors,
    and(eq(successors.memorialId, successions.memorialId), /* prove: successor-is-user */ isUser(ctx, user)),
  )
}

/** What the user may claim now. The same answer for all who may not, whatever the reason. */
export async function findClaimable(ctx: Ctx, user: User, memorialId: string): Promise<Claimable> {
  const [memorial] = await ctx.db
    .select({ honoureeFullName: memorials.honoureeFullName, ownerName: fullName() })
    .from(successions)
    .innerJoin(memorials, eq(memorials.id, successions.memorialId))
    .innerJoin(users, eq(users.id, memorials.ownerId))
    .where(and(eq(successions.memorialId, memorialId), isOpen(), isNamed(ctx, user)))
  return { memorial: memorial ?? null }
}

/**
 * A named person asks for the memorial, because its owner can't look after it any more: the owner gets the first mail, and all keepers are told. Nothing
 * of it shows whether the user was named: that depends on it happens after the answer. Throws `too_many_requests`.
 */
export async function askForMemorial(ctx: Ctx, user: User, memorialId: string): Promise<void> {
  await requireRateLimit(ctx, 'successorRequests', user.id)
  afterAnswer(ctx, 'ask_for_memorial', () => beginAsking(ctx, user, memorialId))
}

async function beginAsking(ctx: Ctx, user: User, memorialId: string): Promise<void> {
  const isTarget = and(
    eq(successions.memorialId, memorialId),
    /* prove: asked-for-once */ isNull(successions.askingSince),
    isInForce(),
    /* prove: only-named-ask */ isNamed(ctx, user),
  )
  const [found] = await ctx.db
    .select({ email: users.email })
    .from(successions)
    .innerJoin(memorials, eq(memorials.id, successions.memorialId))
    .innerJoin(users, eq(users.id, memorials.ownerId))
    .where(isTarget)
  if (!found) return
  const isAsked = existsIn(successions, isTarget)
  const toOwner = insertMailWhere(
    ctx,
    { kind: 'still-there', recipient: found.email, subjectId: memorialId },
    isAsked,
  )
  const letters = [toOwner, ...(await mailsToKeepers(ctx, memorialId, 'successor-asked', isAsked))]
  const askedBy = ctx.db
    .select({ id: successors.id })
    .from(successors)
    .where(and(eq(successors.memorialId, memorialId), isUser(ctx, user)))
  await ctx.db.batch([
    insertFamilyAction(ctx, { memorialId, userId: user.id, action: 'ask_for_memorial' }, isAsked),
    ...letters.map(({ statement }) => statement),
    ctx.db
      .update(successions)
      .set({
        askingSince: ctx.now(),
        askedBy: sql`${askedBy}`,
        mailsSent: 1,
        nextAt: ctx.now() + SUCCESSION_STEPS_MS[0],
      })
      .where(isTarget),
  ])
  await enqueueMails(ctx, letters)
}

/**
 * A successor becomes the memorial's owner: the first one, unless its owner is seen or an admin holds the case by then. The owner before becomes a keeper
 * and may take it back. Throws `not_found`.
 */
export async function claimMemorial(ctx: Ctx, user: User, memorialId: string): Promise<void> {
  const [found] = await ctx.db
    .select({ ownerId: memorials.ownerId, email: users.email })
    .from(successions)
    .innerJoin(memorials, eq(memorials.id, successions.memorialId))
    .innerJoin(users, eq(users.id, memorials.ownerId))
    .where(eq(successions.memorialId, memorialId))
  if (!found) throw notOpen()
  const isClaim = and(eq(successions.memorialId, memorialId), isOpen(), isNamed(ctx, user))
  const takeBackUntil = ctx.now() + CLAIM_UNDONE_MS
  const { statements, isChanged } = changeOwner(
    ctx,
    { memorialId, from: found.ownerId, to: user.id, mayExport: true, takeBackUntil },
    existsIn(successions, isClaim),
  )
  const handover = {
    id: newId('handover'),
    memorialId,
    fromUserId: found.ownerId,
    toUserId: user.id,
    mayExport: false,
    isClaim: true,
    expiresAt: ctx.now(),
    acceptedAt: ctx.now(),
    takeBackUntil,
    createdAt: ctx.now(),
  }
  const toOwner = insertMailWhere(
    ctx,
    { kind: 'memorial-taken-over', recipient: found.email, subjectId: memorialId },
    isChanged,
  )
  const toKeepers = await mailsToKeepers(ctx, memorialId, 'memorial-claimed', isChanged, user.id)
  const letters = [toOwner, ...toKeepers]
  const [, [changed]] = await ctx.db.batch([
    ...statements,
    insertWhere(ctx.db, handovers, handover, isChanged),
    insertFamilyAction(ctx, { memorialId, userId: user.id, action: 'claim_memorial' }, isChanged),
    ...letters.map(({ statement }) => statement),
  ])
  if (!changed) throw notOpen()
  await enqueueMails(ctx, letters)
}

function notOpen(): AppError {
  return new AppError('not_found', claimMessages.notOpen)
}

/** Statements: a mail to each who looks after the memorial, if `condition` holds. Not to `except`, a user's id. */
async function mailsToKeepers(ctx: Ctx, memorialId: string, kind: MailKind, condition: SQL, except = '') {
  const people = await ctx.db
    .select({ email: users.email })
    .from(keepers)
    .innerJoin(users, eq(users.id, keepers.userId))
    .where(and(eq(keepers.memorialId, memorialId), ne(keepers.userId, except)))
  return people.map(({ email }) =>
    insertMailWhere(ctx, { kind, recipient: email, subjectId: memorialId }, condition),
  )
}
