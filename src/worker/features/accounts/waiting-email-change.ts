import { and, eq, isNull, sql, type SQL } from 'drizzle-orm'
import type { Ctx } from '#worker/platform/ctx.ts'
import { emailChanges } from '#worker/schema/accounts.table.ts'

/** Statement: the links of a change of this user that waits for its confirmations end. `user`: id or subselect. */
export function voidEmailChange(ctx: Ctx, user: string | SQL, when: SQL = sql`1`) {
  return ctx.db
    .delete(emailChanges)
    .where(and(eq(emailChanges.userId, user), isNull(emailChanges.changedAt), when))
}
