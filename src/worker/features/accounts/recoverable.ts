import { gt, isNull, or, type SQL } from 'drizzle-orm'
import { DELETED_RESTORABLE_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'

/** SQL condition: the account exists, or its owner deleted it less than 30 days ago and can restore it by signing in. */
export function isRecoverable(ctx: Ctx): SQL | undefined {
  return or(isNull(users.deletedAt), gt(users.deletedAt, ctx.now() - DELETED_RESTORABLE_MS))
}
