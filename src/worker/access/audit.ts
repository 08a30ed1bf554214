import { and, eq, isNotNull, ne, or, sql, type SQL } from 'drizzle-orm'
import type { AuditAction, AuditTarget } from '#shared/admin/admin.ts'
import { HOUR_MS } from '#shared/limits.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { auditLog } from '#worker/schema/admin.table.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { recordFamilyAction } from '#worker/access/family-actions.ts'
import type { GuardInput } from '#worker/access/route.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'
import { funeralEvents } from '#worker/schema/funeral.table.ts'

/** Without a user, the system itself acts (purge). */
type AuditCtx = Ctx & { user?: RequestCtx['user'] }

type NewAuditEntry = {
  action: AuditAction
  targetKind: AuditTarget
  targetId: string
  memorialId?: string | null
  /** Small before/after values; never user text, tokens or addresses. */
  detail?: Record<string, string | number | boolean | null>
}

/** Inserts an audit row if `condition` holds. In a batch, put it before a change that makes the condition false. */
export function insertAudit(ctx: AuditCtx, entry: NewAuditEntry, condition: SQL = sql`true`) {
  const row: typeof auditLog.$inferInsert = {
    id: newId('audit'),
    actorId: ctx.user?.id ?? null,
    action: entry.action,
    targetKind: entry.targetKind,
    targetId: entry.targetId,
    memorialId: entry.memorialId ?? null,
    detail: entry.detail ?? null,
    createdAt: ctx.now(),
  }
  return insertWhere(ctx.db, auditLog, row, condition)
}

/**
 * Records what the viewer does to a memorial if `condition` holds: an admin's in the audit log, that of its owner and of those who look after it with
 * them in the family's own log, a relative's nowhere. The target is the memorial unless `entry` has another.
 */
export function recordAction(
  ctx: AuditCtx,
  found: Pick<MemorialAccess, 'memorial' | 'role' | 'contributor'>,
  entry: Pick<NewAuditEntry, 'action' | 'detail'> & Partial<NewAuditEntry>,
  condition?: SQL,
) {
  const { memorial, role } = found
  if (role !== 'ADMIN') return recordFamilyAction(ctx, found, entry.action, condition)
  const target = { targetKind: 'memorial', targetId: memorial.id, memorialId: memorial.id } as const
  return insertAudit(ctx, { ...target, ...entry }, condition)
}

/** Like {@link auditHiddenVisit}, unless visitors may see the same: the memorial is public, and all of its gatherings. */
export async function auditVisit(
  ctx: RequestCtx,
  input: GuardInput,
  found: Pick<MemorialAccess, 'memorial' | 'role' | 'contributor'>,
): Promise<void> {
  const { id, privacy, status } = found.memorial
  const isPublic = privacy === 'LOCKED' && status === 'ACTIVE'
  const { memorialId, audience, contact, contactFor } = funeralEvents
  const isHidden = or(ne(audience, 'EVERYBODY'), and(isNotNull(contact), ne(contactFor, 'EVERYBODY')))
  const hidesSome = existsIn(funeralEvents, and(eq(memorialId, id), isHidden))
  await auditHiddenVisit(ctx, input, found, isPublic ? hidesSome : undefined)
}

/** Records an admin's visit to what isn't public, once an hour and memorial: one page makes many calls. GET only. */
export async function auditHiddenVisit(
  ctx: RequestCtx,
  { endpoint }: GuardInput,
  found: Pick<MemorialAccess, 'memorial' | 'role' | 'contributor'>,
  condition: SQL = sql`true`,
): Promise<void> {
  const { memorial, role } = found
  if (role !== 'ADMIN' || endpoint.method !== 'GET') return
  const isRecorded = sql`exists (select 1 from ${auditLog} where ${auditLog.memorialId} = ${memorial.id}
    and ${auditLog.action} = 'see_memorial' and ${auditLog.actorId} = ${ctx.user?.id}
    and ${auditLog.createdAt} > ${ctx.now() - HOUR_MS})`
  await recordAction(ctx, found, { action: 'see_memorial' }, sql`${condition} and not ${isRecorded}`)
}
