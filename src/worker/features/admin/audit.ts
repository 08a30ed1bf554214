import type { AuditAction, AuditTarget } from '#shared/admin.ts'
import type { Ctx, RequestCtx } from '#worker/ctx.ts'
import { auditLog } from '#worker/features/admin/admin.table.ts'
import { newId } from '#worker/platform/random.ts'

type NewAuditEntry = {
  action: AuditAction
  targetKind: AuditTarget
  targetId: string
  memorialId?: string
  /** Small before/after values; never texts, tokens or addresses. */
  detail?: Record<string, string | number | boolean | null>
}

/** The audit row as an insert, to stand in the same batch as the write that it records. */
export function auditRow(
  ctx: Ctx & { user?: RequestCtx['user'] },
  entry: NewAuditEntry,
): typeof auditLog.$inferInsert {
  return {
    id: newId('audit'),
    actorId: ctx.user?.id ?? null,
    action: entry.action,
    targetKind: entry.targetKind,
    targetId: entry.targetId,
    memorialId: entry.memorialId ?? null,
    detail: entry.detail ?? null,
    createdAt: ctx.now(),
  }
}

/** Records what an admin does, before it is done: a record too many is better than one too few. */
export async function recordAudit(ctx: RequestCtx, entry: NewAuditEntry): Promise<void> {
  await ctx.db.insert(auditLog).values(auditRow(ctx, entry))
}
