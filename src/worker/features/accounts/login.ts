import { accountAnswers } from '#shared/accounts/account-answers.ts'
import { and, eq, getTableColumns, gt, not, sql } from 'drizzle-orm'
import type { LoginInput, User } from '#shared/accounts/accounts.ts'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx, Ctx } from '#worker/platform/ctx.ts'
import { users, isRecoverable } from '#worker/schema/accounts.table.ts'
import { checkPassword, hashPassword } from '#worker/features/accounts/passwords.ts'
import type { Proofs } from '#worker/access/session-records.ts'
import { createSession, endSession, toUser } from '#worker/access/sessions.ts'
import { reserveLogin, reservePasswordCheck } from '#worker/features/accounts/login-limits.ts'
import { DELETED_RESTORABLE_MS } from '#shared/limits.ts'
import { attachUnusedPayment } from '#worker/features/payments/credits.ts'
import { isPaid } from '#worker/access/memorial-access.ts'
import { nextUpdatedAt } from '#worker/features/memorials/memorials.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { queueCachePurge } from '#worker/platform/edge-cache.ts'

/** Returns the password hash of the signed-in user. A wrong password throws `refusal` and counts against this session. */
export async function requirePassword(
  ctx: RequestCtx,
  user: User,
  password: string,
  refusal: AppError,
): Promise<string> {
  const undoCount = await reservePasswordCheck(ctx)
  const [row] = await ctx.db
    .select({ passwordHash: users.passwordHash })
    .from(users)
    .where(eq(users.id, user.id))
  const { isRight } = await checkPassword(ctx, password, row?.passwordHash ?? null)
  if (!row || !isRight) throw refusal
  await undoCount()
  return row.passwordHash
}

/** SQL: the hashes of an unconfirmed address's attempts, with spaces between. */
const waitingHashes = sql<string | null>`(select group_concat(password_hash, ' ')
  from registrations where registrations.user_id = users.id)`

/** The user, and whether signing in restored their deleted account. */
export type SignedIn = { user: User; isRestored: boolean }

/**
 * Signs in, sets a new session cookie and restores an account that its owner deleted less than 30 days ago. An unknown
 * address and a wrong password get the same answer in the same time: `invalid_credentials`. Throws `too_many_requests`
 * before any hashing and, only for the right password, `account_suspended` and `email_unverified`, which counts as failed:
 * whoever typed it hasn't proved to own the address.
 */
export async function login(ctx: RequestCtx, input: LoginInput, headers: Headers): Promise<SignedIn> {
  const [row] = await ctx.db
    .select({ ...getTableColumns(users), waitingHashes })
    .from(users)
    .where(and(eq(users.email, input.email), isRecoverable(ctx.now())))
  const undoCount = await reserveLogin(ctx, input.email, row ?? null)
  const waiting = row?.emailVerifiedAt === null ? (row.waitingHashes?.split(' ') ?? []) : []
  const { isRight, isOutdated } = await checkPassword(
    ctx,
    input.password,
    row?.passwordHash ?? null,
    ...waiting,
  )
  if (!row || !isRight) throw new AppError('invalid_credentials', messages.login.invalid)
  // prove: login-needs-confirmed-address
  if (row.emailVerifiedAt === null) throw new AppError('email_unverified', accountAnswers.unverified)
  await undoCount()
  requireNotSuspended(row)

  if (isOutdated) {
    await ctx.db
      .update(users)
      .set({ passwordHash: await hashPassword(ctx, input.password) })
      .where(and(eq(users.id, row.id), eq(users.passwordHash, row.passwordHash)))
  }
  return enterAccount(ctx, row, headers, { confirmedAt: ctx.now() })
}

export function requireNotSuspended({ suspendedAt }: Pick<typeof users.$inferSelect, 'suspendedAt'>): void {
  if (suspendedAt !== null) throw new AppError('account_suspended', accountAnswers.suspended)
}

/**
 * Ends this browser's session and begins one of the account, whose owner has just proved what `proofs` says. Restores an account that was
 * deleted less than 30 days ago, or throws `invalid_credentials` if they are over by now.
 */
export async function enterAccount(
  ctx: RequestCtx,
  row: typeof users.$inferSelect,
  headers: Headers,
  proofs: Proofs,
): Promise<SignedIn> {
  const isRestored = row.deletedAt !== null
  if (isRestored && !(await restoreAccount(ctx, row.id))) {
    throw new AppError('invalid_credentials', messages.login.invalid)
  }
  await endSession(ctx)
  await createSession(ctx, ctx.request, headers, row, proofs)
  return { user: toUser(row), isRestored }
}

/** Memorials that the owner deleted earlier or an admin removed stay that way. False when the 30 days are over. */
export async function restoreAccount(ctx: Ctx, userId: string): Promise<boolean> {
  const { db } = ctx
  const isRestorable = and(eq(users.id, userId), gt(users.deletedAt, ctx.now() - DELETED_RESTORABLE_MS))
  const wasDeletedWithAccount = and(
    eq(memorials.ownerId, userId),
    eq(memorials.status, 'DELETED'),
    // prove: restore-only-what-went
    sql`${memorials.deletedAt} = (select ${users.deletedAt} from ${users} where ${isRestorable})`,
  )
  const unpaid = await db
    .select({ id: memorials.id, ownerId: memorials.ownerId })
    .from(memorials)
    .where(and(wasDeletedWithAccount, not(isPaid())))
  const [, restored] = await db.batch([
    queueCachePurge(ctx, wasDeletedWithAccount, { urgent: false }),
    db.update(users).set({ updatedAt: ctx.now() }).where(isRestorable).returning({ id: users.id }),
    ...unpaid.map((memorial) =>
      attachUnusedPayment(
        ctx,
        memorial,
        sql`exists (select 1 from ${memorials} where ${memorials.id} = ${memorial.id} and ${wasDeletedWithAccount})`,
      ),
    ),
    db
      .update(memorials)
      .set({
        status: sql`case when ${isPaid()} then 'ACTIVE' else 'DRAFT' end`,
        deletedAt: null,
        updatedAt: nextUpdatedAt(ctx),
      })
      .where(wasDeletedWithAccount),
    db.update(users).set({ deletedAt: null }).where(isRestorable),
  ])
  return restored.length > 0
}
