import { and, eq, inArray, isNull, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { Ctx } from '#worker/platform/ctx.ts'
import { handovers, keeperInvites } from '#worker/schema/keepers.table.ts'

/** Statement: nobody can accept a memorial any more that this user has offered. What was accepted stays. `user`: id or subselect. */
export function voidHandoverOffers(ctx: Ctx, user: string | SQL, when?: SQL) {
  return ctx.db
    .delete(handovers)
    .where(
      and(
        /* prove: voids-own-offers */ eq(handovers.fromUserId, user),
        /* prove: voids-only-offers */ isNull(handovers.acceptedAt),
        when,
      ),
    )
}

/** Statement: the invitations to look after these memorials (a subselect of ids) that nobody has accepted yet open nothing any more. */
export function voidKeeperInvites(ctx: Ctx, memorialIds: SQLWrapper) {
  return ctx.db.delete(keeperInvites).where(inArray(keeperInvites.memorialId, memorialIds))
}
