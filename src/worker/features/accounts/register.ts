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
 * Registers an address, or answers as if: nobody can test who is registered (server rules 2). A confirmed address gets
 * an "already registered" mail; a waiting one gets the new name and password and a new link, and its older link stops
 * working. Where the mailbox has had its mails of this hour, nothing happens. The database is asked the same things for
 * every address, in one batch, so that the time taken tells nothing. Throws `bad_input` and `not_available`.
 */
export async function register(ctx: Ctx, input: RegisterInput): Promise<void> {
  requireUncommonPassword(input.password, 'password', input.email)
  const passwordHash = await hashPassword(ctx, input.password)
  if ((await countRateLimit(ctx, 'mailsToMailbox', input.email)) > 0) return
  const at = ctx.now()
  const person = { firstName: input.firstName, lastName: input.lastName, passwordHash }
  const isHere = and(eq(users.email, input.email), isRecoverable(ctx))
  const idHere = sql<string>`(select ${users.id} from ${users} where ${isHere})`
  const isWaiting = exists(
    ctx.db
      .select({ id: users.id })
      .from(users)
      .where(and(isHere, isNull(users.emailVerifiedAt))),
  )
  const mail = mailRow(ctx, { kind: 'verify', recipient: input.email, subjectId: '' })
  await ctx.db.batch([
    ctx.db
      .insert(users)
      .values({
        id: newId('user'),
        email: input.email,
        ...person,
        termsAcceptedAt: at,
        termsVersion: TERMS_VERSION,
        createdAt: at,
        updatedAt: at,
      })
      .onConflictDoNothing(),
    ctx.db
      .update(users)
      .set({
        ...person,
        sessionEpoch: sql`${users.sessionEpoch} + 1`,
        termsAcceptedAt: at,
        termsVersion: TERMS_VERSION,
        createdAt: at,
        updatedAt: at,
      })
      .where(and(isHere, isNull(users.emailVerifiedAt))),
    ...voidOpenLinks(ctx, idHere, 'VERIFY', isWaiting),
    insertWhere(ctx.db, mails, mail, sql`${idHere} is not null`, {
      subjectId: idHere,
      kind: sql`case when ${isWaiting} then 'verify' else 'already-registered' end`,
    }),
  ])
  await enqueueMail(ctx, mail.id)
}

/**
 * Sends a new link to an address that waits to be confirmed, after the answer; tells nothing of any other, not even by its
 * time. Counts towards the 3 mails an hour as a reset does.
 */
export function resendVerification(ctx: Ctx, email: string): void {
  afterAnswer(ctx, 'resend_verification', async () => {
    const [user] = await ctx.db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.email, email), isNull(users.emailVerifiedAt), isNull(users.deletedAt)))
    if (!user || (await countRateLimit(ctx, 'mailsToMailbox', email)) > 0) return
    const isWaiting = isWaitingUser(ctx, user.id)
    const mail = insertMailWhere(ctx, { kind: 'verify', recipient: email, subjectId: user.id }, isWaiting)
    await ctx.db.batch([...voidOpenLinks(ctx, user.id, 'VERIFY', isWaiting), mail.statement])
    await enqueueMail(ctx, mail.id)
  })
}

function isWaitingUser(ctx: Ctx, userId: string) {
  return exists(
    ctx.db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.emailVerifiedAt))),
  )
}
