import { and, eq, sql } from 'drizzle-orm'
import type { AdminMemorial } from '#shared/admin.ts'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { insertAudit } from '#worker/access/audit.ts'
import { requireAdminMemorial } from '#worker/features/admin/list-memorials.ts'
import { attachUnusedPayment } from '#worker/features/memorials/delete-memorial.ts'
import { isPaid } from '#worker/access/memorial-access.ts'
import { nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import { hasOwner, isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { queueCachePurge } from '#worker/features/memorials/public-cache.ts'
import { existsIn } from '#worker/platform/db.ts'
import { schedulePurge } from '#worker/platform/edge-cache.ts'

/**
 * Hides a memorial, with its media, files and invitation, from everybody but admins; it deletes nothing. Idempotent.
 * Throws `not_found`, and `conflict` if the owner has deleted it: then it is hidden already, and only they can restore
 * it.
 */
export async function removeMemorial(ctx: RequestCtx, id: string): Promise<AdminMemorial> {
  const isApplicable = and(eq(memorials.id, id), isNotDeleted())
  const before = await requireAdminMemorial(ctx, id)
  const audit = {
    action: 'remove_memorial',
    targetKind: 'memorial',
    targetId: id,
    memorialId: id,
    detail: { before: before.status, after: 'REMOVED' },
  } as const
  const [purgeTags] = await ctx.db.batch([
    queueCachePurge(ctx, isApplicable, { urgent: true }),
    insertAudit(ctx, audit, existsIn(memorials, isApplicable)),
    ctx.db
      .update(memorials)
      .set({ status: 'REMOVED', updatedAt: nextUpdatedAt(ctx) })
      .where(isApplicable),
  ])
  await schedulePurge(ctx, purgeTags)
  const memorial = await requireAdminMemorial(ctx, id)
  if (memorial.status !== 'REMOVED') throw new AppError('conflict', messages.admin.deletedByOwner)
  return memorial
}

/**
 * Restores a removed memorial unchanged: ACTIVE if it is paid for (even by a payment that arrived since), else DRAFT.
 * Idempotent. Throws `not_found`, and `conflict` if the owner has deleted it or their account.
 */
export async function restoreRemovedMemorial(ctx: RequestCtx, id: string): Promise<AdminMemorial> {
  const before = await requireAdminMemorial(ctx, id)
  const isApplicable = and(
    eq(memorials.id, id),
    eq(memorials.status, 'REMOVED'),
    /* prove: restore-needs-owner */ hasOwner(),
  )
  const condition = existsIn(memorials, isApplicable)
  const audit = { action: 'restore_memorial', targetKind: 'memorial', targetId: id, memorialId: id } as const
  await ctx.db.batch([
    queueCachePurge(ctx, isApplicable, { urgent: false }),
    insertAudit(ctx, audit, condition),
    attachUnusedPayment(ctx, { id, ownerId: before.ownerId }, condition),
    ctx.db
      .update(memorials)
      .set({
        status: sql`case when ${isPaid(ctx.db)} then 'ACTIVE' else 'DRAFT' end`,
        updatedAt: nextUpdatedAt(ctx),
      })
      .where(isApplicable),
  ])
  const memorial = await requireAdminMemorial(ctx, id)
  if (memorial.status === 'DELETED') throw new AppError('conflict', messages.admin.deletedByOwner)
  if (memorial.status === 'REMOVED') throw new AppError('conflict', messages.admin.ownerDeleted)
  return memorial
}
