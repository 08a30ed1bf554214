import { and, eq, isNull, sql } from 'drizzle-orm'
import { TERMS_VERSION, type RegisterInput } from '#shared/accounts.ts'
import { afterAnswer, type Ctx } from '#worker/platform/ctx.ts'
import { voidOpenLinks, isOpenToken, userOfOpenToken } from '#worker/features/accounts/account-tokens.ts'
import { users, accountTokens, isRecoverable } from '#worker/schema/accounts.table.ts'
import { hashPassword, requireUncommonPassword } from '#worker/features/accounts/passwords.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { insertMailWhere, mailRow, enqueueMail } from '#worker/platform/mail.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { newId, hashToken } from '#worker/platform/random.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'

/**
 * Registers an address. Every address takes the same queries in one batch, so answer and timing do not reveal who is
 * registered. A confirmed address gets an "already registered" mail; an unconfirmed one gets the new name, password and
 * link, and its older link stops working. Does nothing over the mailbox's hourly limit. Throws `bad_input`, `not_available`.
 */
export async function register(ctx: Ctx, input: RegisterInput): Promise<void> {
  requireUncommonPassword(input.password, 'password', input)
  const passwordHash = await hashPassword(ctx, input.password)
  if ((await countRateLimit(ctx, 'mailsToMailbox', input.email)) > 0) return
  const at = ctx.now()
  const profile = {
    firstName: input.firstName,
    lastName: input.lastName,
    passwordHash,
    termsAcceptedAt: at,
    termsVersion: TERMS_VERSION,
    createdAt: at,
    updatedAt: at,
  }
  const isExisting = and(eq(users.email, input.email), isRecoverable(ctx.now()))
  const existingId = sql<string>`(select ${users.id} from ${users} where ${isExisting})`
  const isUnverified = existsIn(users, and(isExisting, isNull(users.emailVerifiedAt)))
  const mail = mailRow(ctx, { kind: 'verify', recipient: input.email, subjectId: '' })
  await ctx.db.batch([
    ctx.db
      .insert(users)
      .values({ id: newId('user'), email: input.email, ...profile })
      .onConflictDoNothing(),
    ctx.db
      .update(users)
      .set({ ...profile, sessionEpoch: sql`${users.sessionEpoch} + 1` })
      .where(and(isExisting, isNull(users.emailVerifiedAt))),
    ...voidOpenLinks(ctx, existingId, 'VERIFY', isUnverified),
    insertWhere(ctx.db, mails, mail, sql`${existingId} is not null`, {
      subjectId: existingId,
      kind: sql`case when ${isUnverified} then 'verify' else 'already-registered' end`,
    }),
  ])
  await enqueueMail(ctx, mail.id)
}

/** Runs after the response, so that neither the answer nor its timing reveals which addresses exist. */
export function resendVerification(ctx: Ctx, email: string): void {
  afterAnswer(ctx, 'resend_verification', async () => {
    const [user] = await ctx.db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.email, email), isNull(users.emailVerifiedAt), isNull(users.deletedAt)))
    if (!user || (await countRateLimit(ctx, 'mailsToMailbox', email)) > 0) return
    const isUnverified = existsIn(users, and(eq(users.id, user.id), isNull(users.emailVerifiedAt)))
    const mail = insertMailWhere(ctx, { kind: 'verify', recipient: email, subjectId: user.id }, isUnverified)
    await ctx.db.batch([...voidOpenLinks(ctx, user.id, 'VERIFY', isUnverified), mail.statement])
    await enqueueMail(ctx, mail.id)
  })
}

/**
 * Confirms the address that a link was sent to. Opening the link again succeeds too, because mail scanners open links. It
 * never creates a session (ASVS 7.6.2). Throws `link_used` or `link_expired`.
 */
export async function verifyEmail(ctx: Ctx, token: string): Promise<void> {
  const at = ctx.now()
  const [, used] = await ctx.db.batch([
    ctx.db
      .update(users)
      .set({ emailVerifiedAt: at, sessionEpoch: sql`${users.sessionEpoch} + 1`, updatedAt: at })
      .where(and(eq(users.id, userOfOpenToken(ctx, token, 'VERIFY')), isNull(users.emailVerifiedAt))),
    ctx.db
      .update(accountTokens)
      .set({ usedAt: at })
      .where(isOpenToken(ctx, token, 'VERIFY'))
      .returning({ userId: accountTokens.userId }),
  ])
  if (used.length > 0) return
  const [known] = await ctx.db
    .select({ usedAt: accountTokens.usedAt, emailVerifiedAt: users.emailVerifiedAt })
    .from(accountTokens)
    .innerJoin(users, eq(users.id, accountTokens.userId))
    .where(and(eq(accountTokens.tokenHash, hashToken(token)), eq(accountTokens.kind, 'VERIFY')))
  if (known?.usedAt && known.emailVerifiedAt) return
  throw new AppError(known?.usedAt ? 'link_used' : 'link_expired', messages.verify.invalid)
}
