import { inArray } from 'drizzle-orm'
import type { TokenPool } from '#shared/admin.ts'
import type { RequestCtx } from '#worker/ctx.ts'
import { auditLog } from '#worker/features/admin/admin.table.ts'
import { auditRow } from '#worker/features/admin/audit.ts'
import { newTokens } from '#worker/features/invites/invite-links.ts'
import { tallies } from '#worker/platform/tallies.table.ts'

const TALLIES = ['invite_tokens AVAILABLE', 'invite_tokens ASSIGNED', 'invite_tokens REVOKED']

/** How many invitation tokens wait, are in use, and are revoked. */
export async function countTokens(ctx: RequestCtx): Promise<TokenPool> {
  return toPool(await amounts(ctx))
}

/** Adds `count` tokens to the pool. Returns what is there then. */
export async function generateTokens(ctx: RequestCtx, amount: number): Promise<TokenPool> {
  const audit = auditRow(ctx, {
    action: 'generate_tokens',
    targetKind: 'token',
    targetId: 'pool',
    detail: { count: amount },
  })
  const [, , rows] = await ctx.db.batch([
    newTokens(ctx, amount),
    ctx.db.insert(auditLog).values(audit),
    amounts(ctx),
  ])
  return toPool(rows)
}

function amounts(ctx: RequestCtx) {
  return ctx.db.select().from(tallies).where(inArray(tallies.name, TALLIES))
}

function toPool(rows: (typeof tallies.$inferSelect)[]): TokenPool {
  const [available, assigned, revoked] = TALLIES.map(
    (name) => rows.find((row) => row.name === name)?.amount ?? 0,
  )
  return { availableCount: available ?? 0, assignedCount: assigned ?? 0, revokedCount: revoked ?? 0 }
}
