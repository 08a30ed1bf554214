import { and, eq, exists, isNull, sql } from 'drizzle-orm'
import { TERMS_VERSION, type RegisterInput } from '#shared/accounts.ts'
import { afterAnswer, type Ctx } from '#worker/ctx.ts'
import { voidOpenLinks } from '#worker/features/accounts/account-tokens.ts'
import { users } from '#worker/features/accounts/accounts.table.ts'
import { hashPassword, requireUncommonPassword } from '#worker/features/accounts/passwords.ts'
import { mails } from '#worker/features/mail/mail.table.ts'
import { insertMailWhere, mailRow, sendSoon } from '#worker/features/mail/outbox.ts'
import { isUniqueViolation } from '#worker/platform/db.ts'
import { newId } from '#worker/platform/random.ts'
import { countThrottle } from '#worker/platform/throttle.ts'

/**
 * Registers an address, or answers as if: nobody can test who is registered (server rules 2). A confirmed address gets
 * an "already registered" mail; a waiting one gets the new name and password and a new link, and its older link stops
 * working. Where the mailbox has had its mails of this hour, nothing happens. Throws `bad_input` and `not_available`.
 */
export async function register(ctx: Ctx, input: RegisterInput): Promise<void> {
  requireUncommonPassword(input.password, 'password')
  // Hashed for every address, and before it is looked up: the time taken tells nothing.
  const passwordHash = await hashPassword(ctx, input.password)
  if ((await countThrottle(ctx, 'mailsToMailbox', input.email)) > 0) return
  const mailId =
    (await insertAccount(ctx, input, passwordHash)) ?? (await registerAgain(ctx, input, passwordHash))
  if (mailId) await sendSoon(ctx, mailId)
}

/** The id of the mail with the link, or null when the address has an account. */
async function insertAccount(ctx: Ctx, input: RegisterInput, passwordHash: string): Promise<string | null> {
  const at = ctx.now()
  const id = newId('user')
  const mail = mailRow(ctx, { kind: 'verify', recipient: input.email, subjectId: id })
  try {
    await ctx.db.batch([
      ctx.db.insert(users).values({
        id,
        email: input.email,
        firstName: input.firstName,
        lastName: input.lastName,
        passwordHash,
        termsAcceptedAt: at,
        termsVersion: TERMS_VERSION,
        createdAt: at,
        updatedAt: at,
      }),
      ctx.db.insert(mails).values(mail),
    ])
    return mail.id
  } catch (error) {
    if (isUniqueViolation(error)) return null
    throw error
  }
}

/** The id of the mail that goes out, or null when the account is gone. Each statement looks whether it is confirmed. */
async function registerAgain(ctx: Ctx, input: RegisterInput, passwordHash: string): Promise<string | null> {
  const [user] = await ctx.db
    .select({ id: users.id, emailVerifiedAt: users.emailVerifiedAt })
    .from(users)
    .where(and(eq(users.email, input.email), isNull(users.deletedAt)))
  if (!user) return null
  if (user.emailVerifiedAt !== null) {
    const mail = mailRow(ctx, { kind: 'already-registered', recipient: input.email, subjectId: user.id })
    await ctx.db.insert(mails).values(mail)
    return mail.id
  }
  const at = ctx.now()
  const isWaiting = isWaitingUser(ctx, user.id)
  const mail = insertMailWhere(ctx, { kind: 'verify', recipient: input.email, subjectId: user.id }, isWaiting)
  await ctx.db.batch([
    ctx.db
      .update(users)
      .set({
        firstName: input.firstName,
        lastName: input.lastName,
        passwordHash,
        sessionEpoch: sql`${users.sessionEpoch} + 1`,
        termsAcceptedAt: at,
        termsVersion: TERMS_VERSION,
        createdAt: at,
        updatedAt: at,
      })
      .where(and(eq(users.id, user.id), isNull(users.emailVerifiedAt))),
    ...voidOpenLinks(ctx, user.id, 'VERIFY', isWaiting),
    mail.statement,
  ])
  return mail.id
}

/** Sends a new link to an address that waits to be confirmed; tells nothing of any other, not even by its time. */
export async function resendVerification(ctx: Ctx, email: string): Promise<void> {
  if ((await countThrottle(ctx, 'mailsToMailbox', email)) > 0) return
  afterAnswer(ctx, 'resend_verification', async () => {
    const [user] = await ctx.db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.email, email), isNull(users.emailVerifiedAt), isNull(users.deletedAt)))
    if (!user) return
    const isWaiting = isWaitingUser(ctx, user.id)
    const mail = insertMailWhere(ctx, { kind: 'verify', recipient: email, subjectId: user.id }, isWaiting)
    await ctx.db.batch([...voidOpenLinks(ctx, user.id, 'VERIFY', isWaiting), mail.statement])
    await sendSoon(ctx, mail.id)
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
