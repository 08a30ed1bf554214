import { and, asc, eq, ne, not, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { handoverRefusals } from '#shared/keepers/handover-refusals.ts'
import { keeperMessages } from '#shared/keepers/keeper-messages.ts'
import type { Keeper, KeeperList, KeeperRights } from '#shared/keepers/keepers.ts'
import { recordFamilyAction } from '#worker/access/family-actions.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import {
  endOffersTo,
  endTakingBackBy,
  isFormerOwner,
  selectHandover,
  toHandover,
} from '#worker/features/keepers/handover.ts'
import { fullName, liveInvites, toKeeperInvite } from '#worker/features/keepers/keeper-invites.ts'
import { dropReservations, expireClosedUploads } from '#worker/features/quota/quota.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { keepers } from '#worker/schema/keepers.table.ts'
import { resumableUploads } from '#worker/schema/media.table.ts'

/** Who looks after a memorial; for its owner also with their addresses, and the open invitations. */
export async function listKeepers(ctx: RequestCtx, { memorial, role }: MemorialAccess): Promise<KeeperList> {
  const isOwner = role === 'OWNER'
  const [[owner], rows, invites, [handover]] = await ctx.db.batch([
    ctx.db.select({ name: fullName() }).from(users).where(eq(users.id, memorial.ownerId)),
    ctx.db
      .select({ keeper: keepers, name: fullName(), email: users.email })
      .from(keepers)
      .innerJoin(users, eq(users.id, keepers.userId))
      .where(eq(keepers.memorialId, memorial.id))
      .orderBy(asc(keepers.createdAt), asc(keepers.contributorId)),
    liveInvites(ctx, memorial.id),
    selectHandover(ctx, memorial.id),
  ])
  return {
    owner: { name: owner?.name ?? '' },
    keepers: rows.map(({ keeper, name, email }) =>
      toKeeper(keeper, { name, email: isOwner ? email : null }, ctx.user?.id ?? null),
    ),
    invites: isOwner ? invites.map(toKeeperInvite) : [],
    handover: toHandover(handover, ctx.user?.id ?? null),
  }
}

function toKeeper(
  row: typeof keepers.$inferSelect,
  { name, email }: { name: string; email: string | null },
  you: string | null,
): Keeper {
  return {
    id: row.contributorId,
    name,
    ...(email !== null && { email }),
    role: row.role,
    mayExport: row.mayExport,
    createdAt: new Date(row.createdAt).toISOString(),
    seenAt: row.seenAt === null ? null : new Date(row.seenAt).toISOString(),
    isYou: row.userId === you,
  }
}

/** Changes what somebody may do who looks after the memorial. Throws `not_found`. */
export async function changeKeeper(
  ctx: RequestCtx,
  access: MemorialAccess,
  keeperId: string,
  rights: KeeperRights,
): Promise<void> {
  const { memorial } = access
  const { role } = rights
  const isTarget = isKeeperOf(memorial.id, keeperId)
  const [, [changed]] = await ctx.db.batch([
    recordFamilyAction(ctx, access, 'change_keeper', existsIn(keepers, isTarget)),
    ctx.db
      .update(keepers)
      .set({ role, mayExport: role === 'KEEPER' && rights.mayExport })
      .where(isTarget)
      .returning({ id: keepers.contributorId }),
    endOffersTo(ctx, memorial.id, and(isTarget, ne(keepers.role, 'KEEPER'))),
  ])
  if (!changed) throw new AppError('not_found', keeperMessages.notFound)
}

/**
 * Ends somebody's looking after the memorial: at once, wherever they are signed in, and with what they are sending. The owner ends anybody's,
 * everybody else their own. What they added stays. Throws `not_found`, and `conflict` for who can still take the memorial back.
 */
export async function removeKeeper(ctx: RequestCtx, access: MemorialAccess, keeperId: string): Promise<void> {
  const { memorial, role } = access
  // prove: only-owner-removes-others
  const isOwn = role === 'OWNER' ? undefined : eq(keepers.userId, ctx.user?.id ?? '')
  const isFormer = role === 'OWNER' ? isFormerOwner(ctx, memorial.id, keepers.userId) : sql`0`
  const isKept = and(isKeeperOf(memorial.id, keeperId), isOwn)
  const isTarget = and(isKept, /* prove: former-owner-stays */ not(isFormer))
  const action = role === 'OWNER' ? 'remove_keeper' : 'stop_keeping'
  const [, , , , [removed], , [left]] = await ctx.db.batch([
    recordFamilyAction(ctx, access, action, existsIn(keepers, isTarget)),
    endOffersTo(ctx, memorial.id, isTarget),
    ...endTakingBackBy(ctx, memorial.id, isTarget),
    ctx.db.delete(keepers).where(isTarget).returning({ id: keepers.contributorId }),
    expireClosedUploads(ctx, eq(resumableUploads.contributorId, keeperId)),
    ctx.db.select({ id: keepers.contributorId }).from(keepers).where(isKept),
  ])
  if (left) throw new AppError('conflict', handoverRefusals.staysUntil)
  if (!removed) throw new AppError('not_found', keeperMessages.notFound)
  await dropReservations(ctx, memorial.id)
}

function isKeeperOf(memorialId: string, keeperId: string): SQL | undefined {
  return and(
    eq(keepers.contributorId, keeperId),
    /* prove: removes-keepers-of-own-memorial */ eq(keepers.memorialId, memorialId),
  )
}
