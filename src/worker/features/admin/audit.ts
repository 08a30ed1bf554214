import { eq, sql } from 'drizzle-orm'
import type { AuditAction, AuditTarget } from '#shared/admin.ts'
import { HOUR_MS } from '#shared/limits.ts'
import type { Ctx, RequestCtx } from '#worker/ctx.ts'
import { auditLog } from '#worker/features/admin/admin.table.ts'
import { insertWhere } from '#worker/platform/db.ts'
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

/**
 * Records what an admin is about to do: a record too many is better than one too few. Gives the way to take the record back
 * when the deed is refused after all; where that fails the record stays.
 */
export async function recordAudit(ctx: RequestCtx, entry: NewAuditEntry): Promise<() => Promise<void>> {
  const row = auditRow(ctx, entry)
  await ctx.db.insert(auditLog).values(row)
  return () => takeBack(ctx, row.id)
}

/**
 * Records that an admin looked into a memorial that is not public, once an hour and memorial: a page asks for many things.
 * Gives the same as {@link recordAudit}.
 */
export async function recordVisit(ctx: RequestCtx, memorialId: string): Promise<() => Promise<void>> {
  const row = auditRow(ctx, {
    action: 'see_memorial',
    targetKind: 'memorial',
    targetId: memorialId,
    memorialId,
  })
  const isKnown = sql`exists (select 1 from ${auditLog} where ${auditLog.memorialId} = ${memorialId}
    and ${auditLog.action} = 'see_memorial' and ${auditLog.actorId} = ${row.actorId}
    and ${auditLog.createdAt} > ${ctx.now() - HOUR_MS})`
  await insertWhere(ctx.db, auditLog, row, sql`not ${isKnown}`)
  return () => takeBack(ctx, row.id)
}

async function takeBack(ctx: RequestCtx, id: string): Promise<void> {
  try {
    await ctx.db.delete(auditLog).where(eq(auditLog.id, id))
  } catch (error) {
    ctx.log.error('audit_not_taken_back', error)
  }
}
