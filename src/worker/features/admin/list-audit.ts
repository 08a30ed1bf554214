import { and, desc, eq, getTableColumns, isNotNull } from 'drizzle-orm'
import type { AuditEntry, AuditPage } from '#shared/admin.ts'
import { ADMIN_PAGE } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { auditLog } from '#worker/schema/admin.table.ts'
import { splitPage, isAfterCursor } from '#worker/platform/db.ts'

type OwnerEntry = Pick<AuditEntry, 'id' | 'action' | 'targetKind' | 'createdAt'>

/** One page of the audit log of all admins and the system, newest first. */
export async function listAudit(ctx: Ctx, cursor: string | null): Promise<AuditPage> {
  const rows = await ctx.db
    .select({ ...getTableColumns(auditLog), actorEmail: users.email })
    .from(auditLog)
    .leftJoin(users, eq(users.id, auditLog.actorId))
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
      memorialId: row.memorialId,
      detail: row.detail,
      createdAt: new Date(row.createdAt).toISOString(),
    })),
    nextCursor,
  }
}

/** One page of what admins did in this memorial, newest first. The owner sees what and when, but not who. */
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
