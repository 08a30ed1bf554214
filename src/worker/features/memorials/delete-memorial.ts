import type { User } from '#shared/accounts/accounts.ts'
import { and, desc, eq, gt, sql, type SQL } from 'drizzle-orm'
import { AppError, fieldError } from '#shared/errors.ts'
import { DASHBOARD_MAX, DELETED_RESTORABLE_MS, UNPAID_DRAFTS_MAX } from '#shared/limits.ts'
import type { HiddenMemorials, Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { recordAction } from '#worker/access/audit.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { mailRow, enqueueMail } from '#worker/platform/providers/mail.ts'
import {
  findMemorial,
  isPaid,
  type MemorialAccess,
  type MemorialRow,
} from '#worker/access/memorial-access.ts'
import { nextUpdatedAt, toMemorial, unpaidDrafts } from '#worker/features/memorials/memorials.ts'
import { hasOwner, isNotDeleted, memorials } from '#worker/schema/memorials.table.ts'
import { queueCachePurge, schedulePurge } from '#worker/platform/edge-cache.ts'
import { attachUnusedPayment } from '#worker/features/payments/credits.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Hides a memorial and mails its owner, who can restore it for 30 days. Throws `name_mismatch`. */
export async function deleteMemorial(
  ctx: Ctx,
  owner: User,
  memorial: MemorialRow,
  confirmName: string,
): Promise<void> {
  if (confirmName.normalize('NFC').trim() !== memorial.honoureeFullName) {
    throw fieldError('name_mismatch', 'confirmName', serverMessages.memorial.confirmNameMismatch)
  }
  const mail = mailRow(ctx, {
    kind: 'memorial-deleted',
    recipient: owner.email,
    subjectId: memorial.id,
  })
  const isTarget = and(
    eq(memorials.id, memorial.id),
    eq(memorials.honoureeFullName, memorial.honoureeFullName),
    isNotDeleted(),
    /* prove: only-owner-deletes */ eq(memorials.ownerId, owner.id),
  )
  const [purgeTags, , deleted] = await ctx.db.batch([
    // prove: deletion-purges-cache
    queueCachePurge(ctx, isTarget, { urgent: true }),
    insertWhere(ctx.db, mails, mail, existsIn(memorials, isTarget)),
    ctx.db
      .update(memorials)
      .set({ status: 'DELETED', deletedAt: ctx.now(), updatedAt: nextUpdatedAt(ctx) })
      .where(isTarget)
      .returning({ id: memorials.id }),
  ])
  if (deleted.length === 0) throw new AppError('edited_elsewhere', messages.memorial.editedElsewhere)
  await enqueueMail(ctx, mail.id)
  await schedulePurge(ctx, purgeTags)
}

/**
 * The owner's memorials that they can't open: deleted ones that can still be restored, last deleted first, and those that an
 * admin removed, newest first.
 */
export async function listHiddenMemorials(ctx: Ctx, owner: User): Promise<HiddenMemorials> {
  const { id, honoureeFullName } = memorials
  const isOwn = eq(memorials.ownerId, owner.id)
  const [deleted, removed] = await ctx.db.batch([
    ctx.db
      .select({ id, honoureeFullName, deletedAt: sql<number>`${memorials.deletedAt}` })
      .from(memorials)
      .where(and(isOwn, isRestorable(ctx)))
      .orderBy(desc(memorials.deletedAt), desc(memorials.id))
      .limit(DASHBOARD_MAX),
    ctx.db
      .select({ id, honoureeFullName, reason: memorials.removalNote })
      .from(memorials)
      .where(and(isOwn, eq(memorials.status, 'REMOVED')))
      .orderBy(desc(memorials.createdAt), desc(memorials.id))
      .limit(DASHBOARD_MAX),
  ])
  return {
    memorials: deleted.map((row) => ({
      id: row.id,
      honoureeFullName: row.honoureeFullName,
      deletedAt: new Date(row.deletedAt).toISOString(),
      restorableUntil: new Date(row.deletedAt + DELETED_RESTORABLE_MS).toISOString(),
    })),
    removed: removed.map((row) => ({
      id: row.id,
      honoureeFullName: row.honoureeFullName,
      reason: row.reason,
    })),
  }
}

/**
 * Restores a memorial unchanged within 30 days of its deletion, and attaches a payment for it that arrived since.
 * Throws `not_found` after 30 days, `too_many_drafts` if it would be a fourth unpaid draft, and `conflict` while its
 * owner's account is deleted.
 */
export async function restoreMemorial(ctx: Ctx, found: MemorialAccess): Promise<Memorial> {
  const { memorial } = found
  const hasPayment = isPaid()
  const isTarget = and(eq(memorials.id, memorial.id), isRestorable(ctx))
  const hasRoom = sql`(${hasPayment} or ${unpaidDrafts(memorial.ownerId)} < ${UNPAID_DRAFTS_MAX})`
  const [, , , [restored]] = await ctx.db.batch([
    queueCachePurge(ctx, isTarget, { urgent: false }),
    attachUnusedPayment(ctx, memorial, existsIn(memorials, isTarget)),
    recordAction(ctx, found, { action: 'restore_memorial' }, existsIn(memorials, and(isTarget, hasRoom))),
    ctx.db
      .update(memorials)
      .set({
        status: sql`case when ${hasPayment} then 'ACTIVE' else 'DRAFT' end`,
        deletedAt: null,
        updatedAt: nextUpdatedAt(ctx),
      })
      .where(and(isTarget, hasRoom))
      .returning({ id: memorials.id }),
  ])
  const row = await findMemorial(ctx, memorial.id)
  if (restored && row) return toMemorial(row)
  if (row?.status === 'DELETED' && Number(row.deletedAt) > ctx.now() - DELETED_RESTORABLE_MS) {
    const [owned] = await ctx.db
      .select({ id: memorials.id })
      .from(memorials)
      .where(and(eq(memorials.id, memorial.id), hasOwner()))
    throw owned
      ? new AppError('too_many_drafts', serverMessages.memorial.tooManyDrafts)
      : new AppError('conflict', messages.admin.ownerDeleted)
  }
  throw new AppError('not_found', messages.memorial.notFound)
}

/** SQL: deleted less than 30 days ago, without the account: restoring an account restores its memorials. */
function isRestorable(ctx: Ctx): SQL | undefined {
  return and(
    // The plus keeps SQLite from reading every deleted memorial by the index of `status`.
    sql`+${memorials.status} = 'DELETED'`,
    gt(memorials.deletedAt, ctx.now() - DELETED_RESTORABLE_MS),
    hasOwner(),
  )
}
