import { and, eq, exists, isNull, sql } from 'drizzle-orm'
import { TERMS_VERSION, type RegisterInput } from '#shared/accounts.ts'
import { afterAnswer, type Ctx } from '#worker/platform/ctx.ts'
import { voidOpenLinks } from '#worker/features/accounts/account-tokens.ts'
import { users } from '#worker/schema/accounts.table.ts'
import { hashPassword, requireUncommonPassword } from '#worker/features/accounts/passwords.ts'
import { isRecoverable } from '#worker/features/accounts/recoverable.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { insertMailWhere, mailRow, enqueueMail } from '#worker/platform/outbox.ts'
import { insertWhere } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'

/**
 * Registers an address. Every address takes the same queries in one batch, so answer and timing do not reveal who is
 * registered. A confirmed address gets an "already registered" mail; an unconfirmed one gets the new name, password and
 * link, and its older link stops working. Does nothing over the mailbox's hourly limit. Throws `bad_input`, `not_available`.
 */
export async function register(ctx: Ctx, input: RegisterInput): Promise<void> {
  requireUncommonPassword(input.password, 'password', input.email)
  const passwordHash = await hashPassword(ctx, input.password)
  if ((await countRateLimit(ctx, 'mailsToMailbox', input.email)) > 0) return
  const at = ctx.now()
  const profile = { firstName: input.firstName, lastName: input.lastName, passwordHash }
  const isExisting = and(eq(users.email, input.email), isRecoverable(ctx))
  const existingId = sql<string>`(select ${users.id} from ${users} where ${isExisting})`
  const isUnverified = exists(
    ctx.db
      .select({ id: users.id })
      .from(users)
      .where(and(isExisting, isNull(users.emailVerifiedAt))),
  )
  const mail = mailRow(ctx, { kind: 'verify', recipient: input.email, subjectId: '' })
  await ctx.db.batch([
    ctx.db
      .insert(users)
      .values({
        id: newId('user'),
        email: input.email,
        ...profile,
        termsAcceptedAt: at,
        termsVersion: TERMS_VERSION,
        createdAt: at,
        updatedAt: at,
      })
      .onConflictDoNothing(),
    ctx.db
      .update(users)
      .set({
        ...profile,
        sessionEpoch: sql`${users.sessionEpoch} + 1`,
        termsAcceptedAt: at,
        termsVersion: TERMS_VERSION,
        createdAt: at,
        updatedAt: at,
      })
      .where(and(isExisting, isNull(users.emailVerifiedAt))),
    ...voidOpenLinks(ctx, existingId, 'VERIFY', isUnverified),
    insertWhere(ctx.db, mails, mail, sql`${existingId} is not null`, {
      subjectId: existingId,
      kind: sql`case when ${isUnverified} then 'verify' else 'already-registered' end`,
    }),
  ])
  await enqueueMail(ctx, mail.id)
}

/**
 * Sends a new link to an unconfirmed address, after the response, so that neither the answer nor its timing reveals which
 * addresses exist. Counts towards the 3 mails per hour, like a reset.
 */
export function resendVerification(ctx: Ctx, email: string): void {
  afterAnswer(ctx, 'resend_verification', async () => {
    const [user] = await ctx.db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.email, email), isNull(users.emailVerifiedAt), isNull(users.deletedAt)))
    if (!user || (await countRateLimit(ctx, 'mailsToMailbox', email)) > 0) return
    const isUnverified = isUnverifiedUser(ctx, user.id)
    const mail = insertMailWhere(ctx, { kind: 'verify', recipient: email, subjectId: user.id }, isUnverified)
    await ctx.db.batch([...voidOpenLinks(ctx, user.id, 'VERIFY', isUnverified), mail.statement])
    await enqueueMail(ctx, mail.id)
  })
}

function isUnverifiedUser(ctx: Ctx, userId: string) {
  return exists(
    ctx.db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.emailVerifiedAt))),
  )
}
