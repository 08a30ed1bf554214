import { and, asc, desc, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { ADMIN_PAGE } from '#shared/limits.ts'
import { successorMessages } from '#shared/keepers/successor-messages.ts'
import type { SuccessionCasePage } from '#shared/keepers/successors.ts'
import { insertAudit } from '#worker/access/audit.ts'
import { insertFamilyAction } from '#worker/access/family-actions.ts'
import { isNotBack } from '#worker/features/successors/succession-state.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, isAfterCursor, splitPage } from '#worker/platform/db.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { successions, successors } from '#worker/schema/successors.table.ts'

/** One page of the memorials whose owners we ask, or that successors may claim; the newest first. */
export async function listSuccessions(ctx: Ctx, cursor: string | null): Promise<SuccessionCasePage> {
  const position = { createdAt: successions.askingSince, id: successions.memorialId }
  // The plus keeps SQLite from reading all memorials first.
  const isThere = sql`+${memorials.status} in ('DRAFT', 'ACTIVE')`
  const rows = await ctx.db
    .select({
      succession: successions,
      id: successions.memorialId,
      createdAt: sql<number>`${successions.askingSince}`,
      honoureeFullName: memorials.honoureeFullName,
      ownerEmail: users.email,
    })
    .from(successions)
    .innerJoin(memorials, and(eq(memorials.id, successions.memorialId), isThere))
    .innerJoin(users, eq(users.id, memorials.ownerId))
    .where(and(isNotNull(successions.askingSince), isNotBack(), isAfterCursor(position, 'memorial', cursor)))
    .orderBy(desc(successions.askingSince), desc(successions.memorialId))
    .limit(ADMIN_PAGE + 1)
  const { page, nextCursor } = splitPage(rows, ADMIN_PAGE)
  if (page.length === 0) return { cases: [], nextCursor }
  const people = await ctx.db
    .select()
    .from(successors)
    .where(
      inArray(
        successors.memorialId,
        page.map(({ id }) => id),
      ),
    )
    .orderBy(asc(successors.createdAt), asc(successors.id))
  return {
    cases: page.map(({ succession, id, createdAt, honoureeFullName, ownerEmail }) => ({
      memorial: { id, honoureeFullName },
      ownerEmail,
      successors: people
        .filter(({ memorialId }) => memorialId === id)
        .map(({ name, email }) => ({ name, email })),
      isAskedFor: succession.askedBy !== null,
      askingSince: new Date(createdAt).toISOString(),
      mailsSent: succession.mailsSent,
      openSince: toInstant(succession.openSince),
      heldSince: toInstant(succession.heldSince),
    })),
    nextCursor,
  }
}

function toInstant(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

/** A contested case stands still until it is released: no more mails, no claim. Throws `not_found`. */
export async function holdSuccession(ctx: RequestCtx, memorialId: string): Promise<null> {
  const isTarget = and(
    eq(successions.memorialId, memorialId),
    isNotNull(successions.askingSince),
    isNull(successions.heldSince),
  )
  const isHeld = existsIn(successions, isTarget)
  const target = { targetKind: 'memorial', targetId: memorialId, memorialId } as const
  const [, , [held]] = await ctx.db.batch([
    insertAudit(ctx, { action: 'hold_succession', ...target }, isHeld),
    insertFamilyAction(ctx, { memorialId, userId: null, action: 'hold_succession' }, isHeld),
    ctx.db
      .update(successions)
      .set({ heldSince: ctx.now() })
      .where(isTarget)
      .returning({ id: successions.memorialId }),
  ])
  if (!held) throw new AppError('not_found', successorMessages.noCase)
  return null
}

/** Lets a held case go on, as if the time of the hold hadn't been. Throws `not_found`. */
export async function releaseSuccession(ctx: RequestCtx, memorialId: string): Promise<null> {
  const isTarget = and(eq(successions.memorialId, memorialId), isNotNull(successions.heldSince))
  const isHeld = existsIn(successions, isTarget)
  const target = { targetKind: 'memorial', targetId: memorialId, memorialId } as const
  const [, , [released]] = await ctx.db.batch([
    insertAudit(ctx, { action: 'release_succession', ...target }, isHeld),
    insertFamilyAction(ctx, { memorialId, userId: null, action: 'release_succession' }, isHeld),
    ctx.db
      .update(successions)
      .set({
        nextAt: sql`${successions.nextAt} + ${ctx.now()} - ${successions.heldSince}`,
        heldSince: null,
      })
      .where(isTarget)
      .returning({ id: successions.memorialId }),
  ])
  if (!released) throw new AppError('not_found', successorMessages.noCase)
  return null
}
