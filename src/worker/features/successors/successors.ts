import { and, asc, eq, not, sql } from 'drizzle-orm'
import { AppError, fieldError } from '#shared/errors.ts'
import { SUCCESSORS_MAX } from '#shared/limits.ts'
import { successorMessages } from '#shared/keepers/successor-messages.ts'
import type { Succession, SuccessionMonths, SuccessorInput } from '#shared/keepers/successors.ts'
import { recordFamilyAction } from '#worker/access/family-actions.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { requireKeepingMail } from '#worker/features/keepers/keeper-invites.ts'
import { asOwnerIsThere } from '#worker/features/successors/succession-state.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { enqueueMail, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { newId } from '#worker/platform/random.ts'
import { requireRateLimit } from '#worker/platform/rate-limiter.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { successions, successors } from '#worker/schema/successors.table.ts'

const DEFAULT_MONTHS: SuccessionMonths = 12

/** Who may ask for the memorial, and when we ask its owner. */
export async function readSuccession({ db }: Ctx, { memorial }: MemorialAccess): Promise<Succession> {
  const [[succession], people] = await db.batch([
    db
      .select({ afterMonths: successions.afterMonths })
      .from(successions)
      .where(eq(successions.memorialId, memorial.id)),
    db
      .select()
      .from(successors)
      .where(eq(successors.memorialId, memorial.id))
      .orderBy(asc(successors.createdAt), asc(successors.id)),
  ])
  return {
    afterMonths: (succession?.afterMonths ?? DEFAULT_MONTHS) as SuccessionMonths,
    successors: people.map(({ id, name, email, createdAt }) => ({
      id,
      name,
      email,
      createdAt: new Date(createdAt).toISOString(),
    })),
  }
}

/**
 * Names somebody who may ask for the memorial, and tells them only if the owner wants that. Throws `payment_required`, `conflict` (named already, or the
 * owner's own address), `too_many_keepers`, `too_many_requests`.
 */
export async function nameSuccessor(
  ctx: RequestCtx,
  access: MemorialAccess,
  { name, email, tell }: SuccessorInput,
): Promise<void> {
  const { memorial } = access
  // prove: only-paid-names-successors
  if (!memorial.isPaid) throw new AppError('payment_required', successorMessages.unpaid)
  if (email === ctx.user?.email) throw fieldError('conflict', 'email', successorMessages.isOwner)
  await requireRateLimit(ctx, 'successors', memorial.id)
  // prove: named-mails-limited
  if (tell) await requireKeepingMail(ctx, email)
  const row = { id: newId('successor'), memorialId: memorial.id, name, email, createdAt: ctx.now() }
  const named = eq(successors.memorialId, memorial.id)
  const isNamed = existsIn(successors, eq(successors.id, row.id))
  const isTheirs = existsIn(
    memorials,
    and(eq(memorials.id, memorial.id), eq(memorials.ownerId, memorial.ownerId), isNotDeleted()),
  )
  const { nextAt, ...there } = asOwnerIsThere(ctx, DEFAULT_MONTHS)
  const succession = {
    memorialId: memorial.id,
    afterMonths: DEFAULT_MONTHS,
    createdAt: ctx.now(),
    ...there,
  }
  const mail = insertMailWhere(
    ctx,
    { kind: 'successor-named', recipient: email, subjectId: memorial.id },
    and(isNamed, sql`${Number(tell)}`)!,
  )
  const [[made], , , mailed, known] = await ctx.db.batch([
    insertWhere(
      ctx.db,
      successors,
      row,
      sql`${isTheirs} and (select count(*) from ${successors} where ${named}) < ${SUCCESSORS_MAX}`,
    )
      .onConflictDoNothing()
      .returning({ id: successors.id }),
    insertWhere(ctx.db, successions, succession, isNamed, { nextAt }).onConflictDoUpdate({
      target: successions.memorialId,
      set: asOwnerIsThere(ctx),
    }),
    recordFamilyAction(ctx, access, 'name_successor', isNamed),
    mail.statement.returning({ id: mails.id }),
    ctx.db
      .select({ id: successors.id })
      .from(successors)
      .where(and(named, eq(successors.email, email))),
  ])
  if (mailed.length > 0) await enqueueMail(ctx, mail.id)
  if (made) return
  if (known.length > 0) throw fieldError('conflict', 'email', successorMessages.alreadyNamed)
  throw new AppError('too_many_keepers', successorMessages.tooMany)
}

/** Somebody may no longer ask for the memorial: at once, also while they are claiming it. Throws `not_found`. */
export async function removeSuccessor(ctx: Ctx, access: MemorialAccess, id: string): Promise<void> {
  const isTarget = and(
    eq(successors.id, id),
    /* prove: removes-own-successors */ eq(successors.memorialId, access.memorial.id),
  )
  const isLeft = existsIn(successors, eq(successors.memorialId, access.memorial.id))
  const [, [removed]] = await ctx.db.batch([
    recordFamilyAction(ctx, access, 'remove_successor', existsIn(successors, isTarget)),
    ctx.db.delete(successors).where(isTarget).returning({ id: successors.id }),
    ctx.db.delete(successions).where(and(eq(successions.memorialId, access.memorial.id), not(isLeft))),
  ])
  if (!removed) throw new AppError('not_found', successorMessages.notFound)
}

/** After how many months without the owner we ask. Throws `not_found` before anybody is named. */
export async function changeSuccession(ctx: Ctx, access: MemorialAccess, afterMonths: number): Promise<void> {
  const isTarget = eq(successions.memorialId, access.memorial.id)
  const [, [changed]] = await ctx.db.batch([
    recordFamilyAction(ctx, access, 'change_succession', existsIn(successions, isTarget)),
    ctx.db
      .update(successions)
      .set({ afterMonths, ...asOwnerIsThere(ctx, afterMonths) })
      .where(isTarget)
      .returning({ id: successions.memorialId }),
  ])
  if (!changed) throw new AppError('not_found', successorMessages.notFound)
}
