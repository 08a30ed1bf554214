import { and, eq, isNotNull, isNull, not, sql, type SQL } from 'drizzle-orm'
import { DAY_MS, SUCCESSION_STEPS_MS } from '#shared/limits.ts'
import { insertFamilyAction } from '#worker/access/family-actions.ts'
import { isPaid } from '#worker/access/memorial-access.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { canBeTakenBack, isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { successions } from '#worker/schema/successors.table.ts'

const MONTH_MS = (365 * DAY_MS) / 12

/** SQL condition on `successions`: the memorial is there and paid for, nobody can take it back, and its owner can sign in. */
export function isInForce(): SQL {
  const canSignIn = and(
    eq(users.id, memorials.ownerId),
    isNull(users.deletedAt),
    /* prove: suspended-owner-loses-nothing */ isNull(users.suspendedAt),
  )
  return existsIn(
    memorials,
    and(
      eq(memorials.id, successions.memorialId),
      isNotDeleted(),
      /* prove: succession-needs-payment */ isPaid(),
      // A second claim would end the right of the owner before.
      /* prove: no-claim-while-taken-back */ not(canBeTakenBack()),
      existsIn(users, canSignIn),
    ),
  )
}

/** SQL condition on `successions`: the owner signed in, or used a session, since we ask. */
export function isBack(): SQL {
  return sql`${ownerSeenAt()} > ${successions.askingSince}`
}

/** SQL condition on `successions`: they weren't seen since then, or we don't ask. */
export function isNotBack(): SQL {
  return sql`(${successions.askingSince} is null or ${ownerSeenAt()} <= ${successions.askingSince})`
}

/** SQL: when the owner was last seen (ms); 0 if that isn't known. */
function ownerSeenAt(): SQL {
  return sql`coalesce((select ${users.seenAt} from ${users} inner join ${memorials} on ${memorials.ownerId} = ${users.id}
    where ${memorials.id} = ${successions.memorialId}), 0)`
}

/** SQL condition on `successions`: the successors may claim the memorial. */
export function isOpen(): SQL | undefined {
  return and(
    isNotNull(successions.openSince),
    /* prove: held-case-not-claimed */ isNull(successions.heldSince),
    /* prove: owner-seen-keeps */ isNotBack(),
    isInForce(),
  )
}

/** SQL: when we ask the owner whether they are there, if they aren't seen until then (ms). */
export function asksAt(): SQL {
  return sql`max(${successions.saidAt}, ${ownerSeenAt()}) + ${successions.afterMonths} * ${MONTH_MS}`
}

type Steps = Pick<typeof successions.$inferSelect, 'nextAt' | 'mailsSent' | 'openSince'>

/** When the successors may claim, if no answer comes (ms). */
export function opensAt({ nextAt, mailsSent, openSince }: Steps): number {
  return SUCCESSION_STEPS_MS.slice(mailsSent).reduce((at, step) => at + step, nextAt ?? openSince ?? 0)
}

/** Values of `successions` once its owner is there: nobody asks, and the time begins again. `months`: another time from now on. */
export function asOwnerIsThere({ now }: Pick<Ctx, 'now'>, months?: number) {
  return {
    saidAt: now(),
    nextAt: sql`${now()} + ${months ?? successions.afterMonths} * ${MONTH_MS}`,
    askingSince: null,
    askedBy: null,
    mailsSent: 0,
    openSince: null,
    heldSince: null,
  }
}

/** Ends the asking about a memorial that matches `where`, because its owner is there. */
export async function stopAsking(
  ctx: Ctx,
  { memorialId, ownerId }: { memorialId: string; ownerId: string },
  where: SQL | undefined,
): Promise<void> {
  const isTarget = and(eq(successions.memorialId, memorialId), isNotNull(successions.askingSince), where)
  const noted = { memorialId, userId: ownerId, action: 'owner_is_there' } as const
  await ctx.db.batch([
    insertFamilyAction(ctx, noted, existsIn(successions, isTarget)),
    ctx.db.update(successions).set(asOwnerIsThere(ctx)).where(isTarget),
  ])
}
