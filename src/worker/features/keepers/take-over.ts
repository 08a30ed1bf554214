import { and, eq, gte, type SQL } from 'drizzle-orm'
import type { User } from '#shared/accounts/accounts.ts'
import { AppError } from '#shared/errors.ts'
import { handoverRefusals } from '#shared/keepers/handover-refusals.ts'
import { TAKE_BACK_MS } from '#shared/limits.ts'
import { insertFamilyAction } from '#worker/access/family-actions.ts'
import type { ItemTable } from '#worker/access/held.ts'
import { isPaid, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { changeOwner, type OwnerChange } from '#worker/features/keepers/change-owner.ts'
import { canTakeBack, isOpenOffer } from '#worker/features/keepers/handover.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { enqueueMails, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { handovers, keepers } from '#worker/schema/keepers.table.ts'
import { media } from '#worker/schema/media.table.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { removedItems } from '#worker/schema/removed.table.ts'

/** Makes the keeper to whom it was offered the memorial's owner, and mails both. Throws `not_found`. */
export async function acceptHandover(ctx: Ctx, user: User, { memorial }: MemorialAccess): Promise<void> {
  const isTheirs = and(eq(keepers.memorialId, memorial.id), eq(keepers.userId, user.id))
  const isOffered = and(
    eq(handovers.memorialId, memorial.id),
    /* prove: accepts-own-offer */ eq(handovers.toUserId, user.id),
    isOpenOffer(ctx),
  )
  const [offer] = await ctx.db
    .select({ id: handovers.id, mayExport: keepers.mayExport, ownerId: users.id, email: users.email })
    .from(handovers)
    .innerJoin(keepers, isTheirs)
    .innerJoin(users, eq(users.id, handovers.fromUserId))
    .where(isOffered)
  if (!offer) throw new AppError('not_found', handoverRefusals.over)
  const { id, ownerId, mayExport } = offer
  const takeBackUntil = ctx.now() + TAKE_BACK_MS
  const mayAccept = and(
    existsIn(handovers, and(eq(handovers.id, id), isOffered)),
    /* prove: only-keepers-take-over */ existsIn(keepers, and(isTheirs, eq(keepers.role, 'KEEPER'))),
    existsIn(memorials, and(eq(memorials.id, memorial.id), isNotDeleted(), isPaid())),
  )
  const change = { memorialId: memorial.id, from: ownerId, to: user.id, mayExport: true, takeBackUntil }
  await makeChange(ctx, change, mayAccept!, {
    id,
    changes: { acceptedAt: ctx.now(), takeBackUntil, mayExport },
    action: 'accept_handover',
    by: user.id,
    mails: { 'handover-accepted': [user.email], 'handed-over': [offer.email] },
    refusal: handoverRefusals.over,
  })
}

/** Makes whoever handed the memorial over its owner again, and mails both. Throws `not_found`. */
export async function takeBackHandover(ctx: Ctx, user: User, { memorial }: MemorialAccess): Promise<void> {
  const isTheirs = and(eq(handovers.memorialId, memorial.id), canTakeBack(ctx, user.id))
  const [taken] = await ctx.db
    .select({
      id: handovers.id,
      mayExport: handovers.mayExport,
      acceptedAt: handovers.acceptedAt,
      ownerId: users.id,
      email: users.email,
    })
    .from(handovers)
    .innerJoin(users, eq(users.id, handovers.toUserId))
    .where(isTheirs)
  if (!taken) throw new AppError('not_found', handoverRefusals.takeBackOver)
  const { id, mayExport, acceptedAt, ownerId } = taken
  const isThere = existsIn(memorials, and(eq(memorials.id, memorial.id), isNotDeleted()))
  const mayTakeBack = and(existsIn(handovers, and(eq(handovers.id, id), isTheirs)), isThere)
  const change = { memorialId: memorial.id, from: ownerId, to: user.id, mayExport, takeBackUntil: null }
  await makeChange(ctx, change, mayTakeBack!, {
    id,
    changes: { takeBackUntil: null, takenBackAt: ctx.now() },
    since: acceptedAt,
    action: 'take_back_handover',
    by: user.id,
    mails: { 'handover-taken-back': [user.email, taken.email] },
    refusal: handoverRefusals.takeBackOver,
  })
}

/** Changes the owner, the row of `handovers` with it, and mails. Throws `not_found` with `refusal` unless `condition` holds. */
async function makeChange(
  ctx: Ctx,
  change: OwnerChange,
  condition: SQL,
  made: {
    id: string
    changes: Partial<typeof handovers.$inferSelect>
    action: 'accept_handover' | 'take_back_handover'
    by: string
    mails: Partial<Record<'handover-accepted' | 'handed-over' | 'handover-taken-back', string[]>>
    refusal: string
    /** What was removed or declined since then (ms) can be restored for 30 days from now. */
    since?: number | null
  },
): Promise<void> {
  const { statements, isChanged } = changeOwner(ctx, change, condition)
  const mails = Object.entries(made.mails).flatMap(([kind, recipients]) =>
    recipients.map((recipient) =>
      insertMailWhere(
        ctx,
        { kind: kind as keyof typeof made.mails, recipient, subjectId: made.id },
        isChanged,
      ),
    ),
  )
  const [, [done]] = await ctx.db.batch([
    ...statements,
    ctx.db
      .update(handovers)
      .set(made.changes)
      .where(and(eq(handovers.id, made.id), isChanged)),
    ...(made.since ? keepLonger(ctx, change.memorialId, made.since, isChanged) : []),
    // Whoever claimed it wasn't chosen for keeping it.
    ctx.db
      .delete(keepers)
      .where(
        and(
          eq(keepers.memorialId, change.memorialId),
          eq(keepers.userId, change.from),
          isChanged,
          /* prove: only-claimants-leave */ existsIn(
            handovers,
            and(eq(handovers.id, made.id), eq(handovers.isClaim, true)),
          ),
        ),
      ),
    insertFamilyAction(
      ctx,
      { memorialId: change.memorialId, userId: made.by, action: made.action },
      isChanged,
    ),
    ...mails.map(({ statement }) => statement),
  ])
  if (!done) throw new AppError('not_found', made.refusal)
  await enqueueMails(ctx, mails)
}

/** Statements: what was removed or declined since then (ms) can be restored for 30 days from now. */
function keepLonger({ db, now }: Ctx, memorialId: string, since: number, isChanged: SQL) {
  const isDeclined = (table: ItemTable) =>
    and(
      eq(table.memorialId, memorialId),
      eq(table.heldAs, 'DECLINED'),
      gte(table.decidedAt, since),
      isChanged,
    )
  return [
    db
      .update(removedItems)
      .set({ removedAt: now() })
      .where(and(eq(removedItems.memorialId, memorialId), gte(removedItems.removedAt, since), isChanged)),
    db.update(media).set({ decidedAt: now() }).where(isDeclined(media)),
    db.update(comments).set({ decidedAt: now() }).where(isDeclined(comments)),
  ] as const
}
