import { and, eq, getTableColumns, gt, isNull, sql, type SQL } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { OPEN_REGISTRATIONS_MAX, VERIFY_TOKEN_EXPIRES_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { linkToken, remakeLinkToken } from '#worker/access/pepper.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { hashToken, newId } from '#worker/platform/random.ts'
import { isRecoverable, registrations, users } from '#worker/schema/accounts.table.ts'

type User = typeof users.$inferSelect
/** What was typed and where; null where a link is sent without a registration. */
type Typed = { passwordHash: string | null; cookieHash: string | null; network: string | null }

/** Statement: an attempt for the user that the subselect returns, if `condition` holds. */
export function insertRegistration(
  ctx: Ctx,
  user: SQL<string>,
  mailId: string,
  typed: Typed & { firstName: string; lastName: string },
  condition: SQL,
) {
  const id = newId('registration')
  const createdAt = ctx.now()
  const expiresAt = createdAt + VERIFY_TOKEN_EXPIRES_MS
  const tokenHash = hashToken(linkToken(ctx, 'verify', id, expiresAt))
  const row = { id, userId: '', ...typed, tokenHash, mailId, expiresAt, createdAt }
  return insertWhere(ctx.db, registrations, row, condition, { userId: user })
}

/**
 * Statement: of more than 5 attempts, the oldest of the network with the most makes room, so that a stranger's many attempts
 * push out each other before the owner's.
 */
export function makeRoom(ctx: Ctx, user: SQL<string>) {
  const victim = sql`(select one.id from ${registrations} one
    where one.user_id = ${user} and one.used_at is null
    order by (select count(*) from ${registrations} other
      where other.user_id = one.user_id and other.used_at is null and other.network is one.network) desc, one.rowid
    limit 1)`
  const open = sql`(select count(*) from ${registrations} where ${isOpenOf(user)})`
  return ctx.db
    .delete(registrations)
    .where(and(sql`${registrations.id} = ${victim}`, sql`${open} > ${OPEN_REGISTRATIONS_MAX}`))
}

/** SQL condition: an attempt of this user that confirmed nothing yet. */
export function isOpenOf(user: string | SQL): SQL | undefined {
  return and(eq(registrations.userId, user), isNull(registrations.usedAt))
}

/** Statement: the links of all attempts of this user end. */
export function voidRegistrations(ctx: Ctx, user: string | SQL, when: SQL = sql`1`) {
  return ctx.db.delete(registrations).where(and(isOpenOf(user), when))
}

/**
 * The link for this mail, or null if its attempt was voided or another mail has it. The same link as in an earlier mail while
 * that has half its life left. Times in ms.
 */
export async function verificationLinkFor(
  ctx: Ctx,
  mailId: string,
): Promise<{ token: string; expiresAt: number; createdAt: number } | null> {
  const [row] = await ctx.db
    .select(getTableColumns(registrations))
    .from(registrations)
    .innerJoin(users, eq(users.id, registrations.userId))
    .where(
      and(
        eq(registrations.mailId, mailId),
        isNull(registrations.usedAt),
        isNull(users.emailVerifiedAt),
        isRecoverable(ctx.now()),
      ),
    )
  if (!row) return null
  const { id, tokenHash, expiresAt, createdAt } = row
  const token = remakeLinkToken(ctx, tokenHash, 'verify', id, expiresAt)
  if (token !== null && expiresAt - ctx.now() >= VERIFY_TOKEN_EXPIRES_MS / 2) {
    return { token, expiresAt, createdAt }
  }
  const until = ctx.now() + VERIFY_TOKEN_EXPIRES_MS
  const renewed = linkToken(ctx, 'verify', id, until)
  await ctx.db
    .update(registrations)
    .set({ tokenHash: hashToken(renewed), expiresAt: until })
    .where(and(eq(registrations.id, id), isNull(registrations.usedAt)))
  return { token: renewed, expiresAt: until, createdAt }
}

/** The attempt of a link. Throws `link_used` or `link_expired`, except for the link that confirmed the address. */
export async function requireRegistration(ctx: Ctx, token: string) {
  const [row] = await ctx.db
    .select({
      ...getTableColumns(registrations),
      email: users.email,
      isConfirmed: sql<number>`${users.emailVerifiedAt} is not null`,
    })
    .from(registrations)
    .innerJoin(users, eq(users.id, registrations.userId))
    .where(eq(registrations.tokenHash, hashToken(token)))
  const isLive = row && (row.usedAt === null ? row.expiresAt > ctx.now() : row.isConfirmed)
  if (!isLive) throw invalidLinkError(row?.usedAt ?? null)
  return row
}

/**
 * Confirms the address of an attempt with this name and password, and voids all other attempts. The database lets exactly one
 * of several simultaneous uses win. Throws `link_used`.
 */
export async function confirmRegistration(
  ctx: Ctx,
  token: string,
  userId: string,
  profile: Pick<User, 'firstName' | 'lastName' | 'passwordHash' | 'termsAcceptedAt'> & Partial<User>,
): Promise<void> {
  const at = ctx.now()
  const isOpen = and(
    eq(registrations.tokenHash, hashToken(token)),
    isNull(registrations.usedAt),
    gt(registrations.expiresAt, at),
  )
  const user = sql`(select ${registrations.userId} from ${registrations} where ${isOpen})`
  const [, used] = await ctx.db.batch([
    ctx.db
      .update(users)
      .set({
        ...profile,
        emailVerifiedAt: at,
        sessionEpoch: sql`${users.sessionEpoch} + 1`,
        updatedAt: at,
      })
      .where(and(eq(users.id, user), isNull(users.emailVerifiedAt))),
    ctx.db
      .update(registrations)
      .set({ usedAt: at, passwordHash: null, cookieHash: null, network: null })
      .where(isOpen)
      .returning({ id: registrations.id }),
    // prove: confirming-voids-other-attempts
    voidRegistrations(
      ctx,
      userId,
      existsIn(users, and(eq(users.id, userId), sql`${users.emailVerifiedAt} is not null`)),
    ),
  ])
  if (used.length === 0) throw invalidLinkError(at)
}

export function invalidLinkError(usedAt: number | null): AppError {
  return new AppError(usedAt === null ? 'link_expired' : 'link_used', messages.verify.invalid)
}
