import { and, eq, gt, or, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { CONSOLE_OPEN_MS } from '#shared/limits.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { sessions, users } from '#worker/schema/accounts.table.ts'
import { authenticators, passkeys } from '#worker/schema/passkeys.table.ts'

/** SQL condition: the account has a passkey or an authenticator app. */
export function hasSecondFactor(userId: string | SQLiteColumn): SQL {
  return or(
    existsIn(passkeys, eq(passkeys.userId, userId)),
    existsIn(authenticators, eq(authenticators.userId, userId)),
  )!
}

/** SQL condition: a passkey or an authenticator app was used in this session, today. */
export function usedSecondFactor(ctx: Pick<Ctx, 'now'>, sessionHash: string): SQL {
  return existsIn(
    sessions,
    and(
      /* prove: second-factor-of-session */ eq(sessions.sessionHash, sessionHash),
      /* prove: second-factor-today */ gt(sessions.secondFactorAt, ctx.now() - CONSOLE_OPEN_MS),
    ),
  )
}

/** SQL column on `users`: an admin who has a second factor, and used it in this session. Looks up nothing for others. */
export function opensConsole(ctx: Pick<Ctx, 'now'>, sessionHash: string) {
  return sql<number>`${and(
    eq(users.role, 'ADMIN'),
    usedSecondFactor(ctx, sessionHash),
    // prove: console-needs-own-factor
    hasSecondFactor(users.id),
  )}`
}
