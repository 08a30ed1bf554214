import type { User } from '#shared/accounts/accounts.ts'
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { AdminOwner } from '#shared/admin/admin.ts'
import { AppError } from '#shared/errors.ts'
import { GIFT_ACCOUNT } from '#shared/payments/gift-codes.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { insertAudit } from '#worker/access/audit.ts'
import { existsIn } from '#worker/platform/db.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Blocks sign-in and ends all sessions; memorials stay. Throws `conflict` for the admin's own account. */
export async function suspendAccount(ctx: RequestCtx, admin: User, id: string): Promise<AdminOwner> {
  if (id === admin.id) throw new AppError('conflict', serverMessages.admin.notYourself)
  const isApplicable = and(eq(users.id, id), isNull(users.suspendedAt), isNull(users.deletedAt))
  const audit = { action: 'suspend_account', targetKind: 'user', targetId: id } as const
  await ctx.db.batch([
    insertAudit(ctx, audit, existsIn(users, isApplicable)),
    ctx.db
      .update(users)
      .set({
        suspendedAt: ctx.now(),
        sessionEpoch: sql`${users.sessionEpoch} + 1`,
        updatedAt: ctx.now(),
      })
      .where(isApplicable),
  ])
  return requireOwner(ctx, id)
}

/** Lets a suspended account sign in again. Idempotent. Throws `not_found`. */
export async function reinstateAccount(ctx: RequestCtx, id: string): Promise<AdminOwner> {
  // Nobody signs in to it.
  if (id === GIFT_ACCOUNT) throw new AppError('not_found', serverMessages.admin.accountNotFound)
  const isApplicable = and(eq(users.id, id), isNotNull(users.suspendedAt), isNull(users.deletedAt))
  const audit = { action: 'reinstate_account', targetKind: 'user', targetId: id } as const
  await ctx.db.batch([
    insertAudit(ctx, audit, existsIn(users, isApplicable)),
    ctx.db.update(users).set({ suspendedAt: null, updatedAt: ctx.now() }).where(isApplicable),
  ])
  return requireOwner(ctx, id)
}

async function requireOwner(ctx: RequestCtx, id: string): Promise<AdminOwner> {
  const [row] = await ctx.db
    .select({ id: users.id, email: users.email, suspendedAt: users.suspendedAt })
    .from(users)
    .where(and(eq(users.id, id), isNull(users.deletedAt)))
  if (!row) throw new AppError('not_found', serverMessages.admin.accountNotFound)
  return toAdminOwner(row)
}

export function toAdminOwner(row: { id: string; email: string; suspendedAt: number | null }): AdminOwner {
  return {
    id: row.id,
    email: row.email,
    suspendedAt: row.suspendedAt === null ? null : new Date(row.suspendedAt).toISOString(),
  }
}
