import { count } from 'drizzle-orm'
import type { TokenPool } from '#shared/admin/admin.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { insertAudit } from '#worker/access/audit.ts'
import { insertNewTokens } from '#worker/features/invites/invites.ts'
import { inviteTokens } from '#worker/schema/invites.table.ts'

export async function countTokens(ctx: RequestCtx): Promise<TokenPool> {
  return toPool(await amounts(ctx))
}

/** Adds `amount` tokens to the pool and returns the new counts. */
export async function generateTokens(ctx: RequestCtx, amount: number): Promise<TokenPool> {
  const audit = {
    action: 'generate_tokens',
    targetKind: 'token',
    targetId: 'pool',
    detail: { count: amount },
  } as const
  const [, , rows] = await ctx.db.batch([insertNewTokens(ctx, amount), insertAudit(ctx, audit), amounts(ctx)])
  return toPool(rows)
}

function amounts({ db }: RequestCtx) {
  return db
    .select({ status: inviteTokens.status, amount: count() })
    .from(inviteTokens)
    .groupBy(inviteTokens.status)
}

function toPool(rows: Awaited<ReturnType<typeof amounts>>): TokenPool {
  const amountOf = (status: (typeof rows)[number]['status']) =>
    rows.find((row) => row.status === status)?.amount ?? 0
  return {
    availableCount: amountOf('AVAILABLE'),
    assignedCount: amountOf('ASSIGNED'),
    revokedCount: amountOf('REVOKED'),
  }
}
