import { and, eq, gte, inArray, ne, sql, type SQL } from 'drizzle-orm'
import type { Ctx } from '#worker/platform/ctx.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { authenticators, passkeys, printedCodes } from '#worker/schema/passkeys.table.ts'

/**
 * Statements: passkeys and the authenticator that were added since then go if `when` holds, and all printed codes: one may have stood for
 * the mailbox of whoever undoes this.
 */
export function dropKeysSince(ctx: Ctx, userId: string, since: number, when: SQL) {
  return [
    // prove: undo-ends-new-passkeys
    ctx.db.delete(passkeys).where(and(eq(passkeys.userId, userId), gte(passkeys.createdAt, since), when)),
    // prove: undo-ends-codes
    ctx.db.delete(printedCodes).where(and(eq(printedCodes.userId, userId), when)),
    // prove: undo-ends-new-authenticator
    ctx.db
      .delete(authenticators)
      .where(and(eq(authenticators.userId, userId), gte(authenticators.createdAt, since), when)),
  ] as const
}

/**
 * Statements: the passkeys and printed codes of `user` (a subselect) go. Those of an admin stay: whoever reads their mail would get into
 * the console by removing its second factor.
 */
export function dropKeys(ctx: Ctx, user: SQL) {
  const owner = ctx.db
    .select({ id: users.id })
    .from(users)
    .where(and(sql`${users.id} = ${user}`, /* prove: mail-ends-no-second-factor */ ne(users.role, 'ADMIN')))
  return [
    ctx.db.delete(passkeys).where(inArray(passkeys.userId, owner)),
    ctx.db.delete(printedCodes).where(inArray(printedCodes.userId, owner)),
  ] as const
}
