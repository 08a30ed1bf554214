import { and, eq, isNull, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { hashToken } from '#worker/platform/random.ts'
import { printedCodes } from '#worker/schema/passkeys.table.ts'

/** What is stored of a printed code. */
export function printedCodeHash(code: string): string {
  return hashToken(`printed-code:${code}`)
}

/** SQL condition: this is a printed code of the account, and nobody has used it. */
export function isOpenCode(userId: string | SQLiteColumn, codeHash: string): SQL {
  return existsIn(
    printedCodes,
    and(
      /* prove: printed-code-of-account */ eq(printedCodes.userId, userId),
      eq(printedCodes.codeHash, codeHash),
      /* prove: printed-code-once */ isNull(printedCodes.usedAt),
    ),
  )
}

/** Statement: the code is used. Put it behind what needs {@link isOpenCode} in the same batch. */
export function spendCode(ctx: Ctx, userId: string, codeHash: string, when: SQL) {
  return ctx.db
    .update(printedCodes)
    .set({ usedAt: ctx.now() })
    .where(and(eq(printedCodes.userId, userId), eq(printedCodes.codeHash, codeHash), when))
}
