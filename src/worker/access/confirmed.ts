import { and, eq, gt, ne, not, or, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { CONFIRMED_FOR_MS } from '#shared/limits.ts'
import { passkeyMessages } from '#shared/accounts/passkey-messages.ts'
import type { MissingProof } from '#shared/accounts/passkeys.ts'
import { hasSecondFactor, usedSecondFactor } from '#worker/access/second-factor.ts'
import { noteProofs, type Proofs } from '#worker/access/session-records.ts'
import { requireSession, toRecord } from '#worker/access/sessions.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { sessions, users } from '#worker/schema/accounts.table.ts'

/** Notes in the asking session what its user has just proved. */
export async function noteOwnProofs(ctx: RequestCtx, proofs: Proofs): Promise<void> {
  await noteProofs(ctx, toRecord(await requireSession(ctx)), proofs)
}

/** What the user must still prove in this session before the ways into the account change, and the SQL condition that nothing is missing. */
async function proofsOf(ctx: RequestCtx): Promise<{ missing: MissingProof | null; isProved: SQL }> {
  const { sessionHash, userId } = toRecord(await requireSession(ctx))
  const isConfirmed = existsIn(
    sessions,
    and(
      // prove: confirmed-in-this-session
      eq(sessions.sessionHash, sessionHash),
      eq(sessions.userId, userId),
      // prove: confirmed-minutes-ago
      gt(sessions.confirmedAt, ctx.now() - CONFIRMED_FOR_MS),
    ),
  )
  // Otherwise whoever knows an admin's password would add a second factor of their own.
  const isFree = or(
    usedSecondFactor(ctx, sessionHash),
    not(hasSecondFactor(userId)),
    existsIn(users, and(eq(users.id, userId), ne(users.role, 'ADMIN'))),
  )
  const isProved = and(isConfirmed, /* prove: admin-factor-guards-factors */ isFree)!
  const [found] = await ctx.db
    .select({ isConfirmed: sql<number>`${isConfirmed}`, isProved: sql<number>`${isProved}` })
    .from(sql`(select 1)`)
  if (found?.isProved === 1) return { missing: null, isProved }
  return { missing: found?.isConfirmed === 1 ? 'SECOND_FACTOR' : 'CONFIRMATION', isProved }
}

/** What {@link requireProofs} would ask for; null: nothing. */
export async function missingProof(ctx: RequestCtx): Promise<MissingProof | null> {
  return (await proofsOf(ctx)).missing
}

/**
 * Throws `confirmation_needed` unless the user has proved by password or passkey, minutes ago in this session, that it's them, and
 * `second_factor_needed` for an admin who has a second factor and didn't use it. Returns the SQL condition, for the write.
 */
export async function requireProofs(ctx: RequestCtx): Promise<SQL> {
  const { missing, isProved } = await proofsOf(ctx)
  if (missing === 'CONFIRMATION') {
    throw new AppError('confirmation_needed', passkeyMessages.confirmFirst)
  }
  if (missing) throw new AppError('second_factor_needed', passkeyMessages.secondFactorNeeded)
  return isProved
}
