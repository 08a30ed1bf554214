import { and, eq, or, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import type { Memorial, Privacy } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { insertAdminAudit } from '#worker/access/audit.ts'
import { contributors } from '#worker/schema/invites.table.ts'
import { findMemorial, isPaid, type MemorialAccess } from '#worker/access/memorial-access.ts'
import { nextUpdatedAt, toMemorial } from '#worker/features/memorials/memorials.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { queueCachePurge } from '#worker/features/memorials/public-cache.ts'
import { count } from '#worker/platform/metrics.ts'
import { existsIn } from '#worker/platform/db.ts'
import { schedulePurge } from '#worker/platform/edge-cache.ts'

/**
 * The only place that changes privacy. `lockedAt` is set exactly while privacy is LOCKED. INVITE and LOCKED need a paid
 * memorial, which the write itself checks; throws `payment_required` otherwise. PRIVATE ends all contributor sessions.
 */
export async function changePrivacy(ctx: Ctx, found: MemorialAccess, privacy: Privacy): Promise<Memorial> {
  const { memorial } = found
  const isTarget = eq(memorials.id, memorial.id)
  const isAllowed = and(isTarget, or(sql`${privacy} = 'PRIVATE'`, isPaid(ctx.db)))
  const audit = { action: 'change_privacy', detail: { before: memorial.privacy, after: privacy } } as const
  const [purgeTags, , [changed]] = await ctx.db.batch([
    queueCachePurge(ctx, and(isTarget, sql`${privacy} <> 'LOCKED'`), { urgent: true }),
    insertAdminAudit(ctx, found, audit, existsIn(memorials, isAllowed)),
    ctx.db
      .update(memorials)
      .set({
        privacy,
        lockedAt: privacy === 'LOCKED' ? sql`coalesce(${memorials.lockedAt}, ${ctx.now()})` : null,
        updatedAt: nextUpdatedAt(ctx),
      })
      .where(isAllowed)
      .returning({ id: memorials.id }),
    // When a memorial is published again, pages cached while it was public before must not reappear.
    queueCachePurge(ctx, isTarget, { urgent: false }),
    // Contributors have to open their invitation again after the memorial has been private.
    ctx.db
      .update(contributors)
      .set({ tokenHash: null })
      .where(and(eq(contributors.memorialId, memorial.id), sql`${privacy} = 'PRIVATE'`)),
  ])
  await schedulePurge(ctx, purgeTags)
  if (!changed) throw new AppError('payment_required', messages.payment.required)
  if (privacy === 'LOCKED' && memorial.privacy !== 'LOCKED') count(ctx, 'memorial_published')
  const row = await findMemorial(ctx, memorial.id)
  if (!row) throw new AppError('not_found', messages.memorial.notFound)
  return toMemorial(row)
}
