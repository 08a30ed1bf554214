import { and, desc, eq, getTableColumns, isNotNull } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { AuditEntry, AuditPage, Activity } from '#shared/admin/admin.ts'
import { ADMIN_PAGE, ADMIN_ACTIVITY } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { auditLog } from '#worker/schema/admin.table.ts'
import { splitPage, isAfterCursor } from '#worker/platform/db.ts'
import { comments } from '#worker/schema/comments.table.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { payments } from '#worker/schema/payments.table.ts'

type OwnerEntry = Pick<AuditEntry, 'id' | 'action' | 'targetKind' | 'createdAt'>

/** One page of the audit log of all admins and the system, newest first, with the names of today. */
export async function listAudit(ctx: Ctx, cursor: string | null): Promise<AuditPage> {
  const targets = alias(users, 'targets')
  const rows = await ctx.db
    .select({
      ...getTableColumns(auditLog),
      actorEmail: users.email,
      targetEmail: targets.email,
      memorialName: memorials.honoureeFullName,
    })
    .from(auditLog)
    .leftJoin(users, eq(users.id, auditLog.actorId))
    .leftJoin(targets, and(eq(auditLog.targetKind, 'user'), eq(targets.id, auditLog.targetId)))
    .leftJoin(memorials, eq(memorials.id, auditLog.memorialId))
    .where(isAfterCursor(auditLog, 'audit', cursor))
    .orderBy(desc(auditLog.createdAt), desc(auditLog.id))
    .limit(ADMIN_PAGE + 1)
  const { page, nextCursor } = splitPage(rows, ADMIN_PAGE)
  return {
    entries: page.map((row) => ({
      id: row.id,
      actorEmail: row.actorEmail,
      action: row.action,
      targetKind: row.targetKind,
      targetId: row.targetId,
      // A purged account that has paid keeps a row with its id in place of the address.
      targetEmail: row.targetEmail === row.targetId ? null : row.targetEmail,
      memorialId: row.memorialId,
      memorialName: row.memorialName,
      detail: row.detail,
      createdAt: new Date(row.createdAt).toISOString(),
    })),
    nextCursor,
  }
}

/** One page of what admins did in this memorial, newest first. Owner and keepers see what and when, but not who. */
export async function listMemorialAudit(
  ctx: Ctx,
  memorialId: string,
  cursor: string | null,
): Promise<{ entries: OwnerEntry[]; nextCursor: string | null }> {
  const rows = await ctx.db
    .select()
    .from(auditLog)
    .where(
      and(
        eq(auditLog.memorialId, memorialId),
        isNotNull(auditLog.actorId),
        isAfterCursor(auditLog, 'audit', cursor),
      ),
    )
    .orderBy(desc(auditLog.createdAt), desc(auditLog.id))
    .limit(ADMIN_PAGE + 1)
  const { page, nextCursor } = splitPage(rows, ADMIN_PAGE)
  return {
    entries: page.map(({ id, action, targetKind, createdAt }) => ({
      id,
      action,
      targetKind,
      createdAt: new Date(createdAt).toISOString(),
    })),
    nextCursor,
  }
}

type Found = { id: string; at: number | null; memorialId: string | null; name: string | null }

/** The newest activity on the site: what happened, when and in which memorial. Contains no texts and no people. */
export async function listActivity(ctx: Ctx): Promise<Activity[]> {
  const [verified, created, published, paid, posted] = await ctx.db.batch(activityQueries(ctx))
  return [
    ...verified.map((row) => toActivity('account_verified', { ...row, memorialId: null, name: null })),
    ...created.map((row) => toActivity('memorial_created', { ...row, memorialId: row.id })),
    ...published.map((row) => toActivity('memorial_published', { ...row, memorialId: row.id })),
    ...paid.map((row) => toActivity('payment_paid', row)),
    ...posted.map((row) => toActivity('message_posted', row)),
  ]
    .sort((a, b) => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1))
    .slice(0, ADMIN_ACTIVITY)
}

/** One query per kind. Each walks an index from its newest end and stops, so none slows down as its table grows. */
export function activityQueries({ db }: Ctx) {
  const name = memorials.honoureeFullName
  return [
    db
      .select({ id: users.id, at: users.emailVerifiedAt })
      .from(users)
      .where(isNotNull(users.emailVerifiedAt))
      .orderBy(desc(users.emailVerifiedAt))
      .limit(ADMIN_ACTIVITY),
    db
      .select({ id: memorials.id, at: memorials.createdAt, name })
      .from(memorials)
      .orderBy(desc(memorials.createdAt), desc(memorials.id))
      .limit(ADMIN_ACTIVITY),
    db
      .select({ id: memorials.id, at: memorials.lockedAt, name })
      .from(memorials)
      .where(isNotNull(memorials.lockedAt))
      .orderBy(desc(memorials.lockedAt))
      .limit(ADMIN_ACTIVITY),
    db
      .select({ id: payments.id, at: payments.paidAt, memorialId: payments.memorialId, name })
      .from(payments)
      .leftJoin(memorials, eq(memorials.id, payments.memorialId))
      .where(isNotNull(payments.paidAt))
      .orderBy(desc(payments.paidAt))
      .limit(ADMIN_ACTIVITY),
    db
      .select({ id: comments.id, at: comments.createdAt, memorialId: comments.memorialId, name })
      .from(comments)
      .innerJoin(memorials, eq(memorials.id, comments.memorialId))
      .orderBy(desc(comments.createdAt))
      .limit(ADMIN_ACTIVITY),
  ] as const
}

function toActivity(kind: Activity['kind'], { id, at, memorialId, name }: Found): Activity {
  return {
    id: `${kind}:${id}`,
    kind,
    at: new Date(at ?? 0).toISOString(),
    memorial: memorialId === null || name === null ? null : { id: memorialId, honoureeFullName: name },
  }
}
