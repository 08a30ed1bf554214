import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import { afterAnswer, type Ctx, type RequestCtx } from '#worker/platform/ctx.ts'
import { userOfOpenToken, voidOpenLinks } from '#worker/features/accounts/account-tokens.ts'
import { accountTokens, users, isRecoverable } from '#worker/schema/accounts.table.ts'
import { clearFailedLogins } from '#worker/features/accounts/login-limits.ts'
import { hashPassword, requireUncommonPassword } from '#worker/features/accounts/passwords.ts'
import { mails } from '#worker/schema/mail.table.ts'
import { insertMailWhere, mailRow, enqueueMail } from '#worker/platform/mail.ts'
import { hashToken } from '#worker/platform/random.ts'
import { countRateLimit } from '#worker/platform/rate-limiter.ts'

/** Runs after the response, so that timing reveals nothing. Only a mail that is sent counts towards the limit. */
export function forgotPassword(ctx: Ctx, email: string): void {
  afterAnswer(ctx, 'forgot_password', async () => {
    const [user] = await ctx.db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.email, email), isRecoverable(ctx.now())))
    if (!user || (await countRateLimit(ctx, 'mailsToMailbox', email)) > 0) return
    const mail = mailRow(ctx, { kind: 'reset', recipient: email, subjectId: user.id })
    await ctx.db.batch([
      /* prove: newer-link-voids-older */ ...voidOpenLinks(ctx, user.id, 'RESET'),
      ctx.db.insert(mails).values(mail),
    ])
    await enqueueMail(ctx, mail.id)
  })
}

/**
 * Sets a new password with a reset link: ends every session, voids every open reset link, confirms the address (the link
 * proves it), clears the count of failed logins and mails a notice. The database lets exactly one of several simultaneous uses win. Throws `bad_input`,
 * `link_used`, `link_expired`, `not_available`.
 */
export async function resetPassword(
  ctx: RequestCtx,
  token: string,
  password: string,
  headers: Headers,
): Promise<void> {
  const [row] = await ctx.db
    .select({
      usedAt: accountTokens.usedAt,
      expiresAt: accountTokens.expiresAt,
      email: users.email,
      firstName: users.firstName,
      lastName: users.lastName,
      userId: users.id,
    })
    .from(accountTokens)
    .innerJoin(users, eq(users.id, accountTokens.userId))
    .where(
      and(
        eq(accountTokens.tokenHash, hashToken(token)),
        eq(accountTokens.kind, 'RESET'),
        isRecoverable(ctx.now()),
      ),
    )
  if (!row || row.usedAt !== null || row.expiresAt <= ctx.now()) throw invalidLinkError(row?.usedAt ?? null)
  requireUncommonPassword(password, 'password', row)

  const passwordHash = await hashPassword(ctx, password)
  const at = ctx.now()
  const user = userOfOpenToken(ctx, token, 'RESET')
  const notice = insertMailWhere(
    ctx,
    { kind: 'password-changed', recipient: row.email, subjectId: row.userId },
    isNotNull(user),
  )
  // The last statement marks this token and every other open one as used; the ones before it need the token open.
  const [, , , spent] = await ctx.db.batch([
    notice.statement,
    ctx.db
      .update(users)
      .set({
        passwordHash,
        // prove: reset-ends-sessions
        sessionEpoch: sql`${users.sessionEpoch} + 1`,
        emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, ${at})`,
        updatedAt: at,
      })
      .where(eq(users.id, user)),
    ctx.db
      .update(mails)
      .set({ status: 'CANCELLED' })
      .where(and(eq(mails.subjectId, user), eq(mails.kind, 'reset'), eq(mails.status, 'QUEUED'))),
    ctx.db
      .update(accountTokens)
      .set({ usedAt: at })
      .where(
        and(eq(accountTokens.userId, user), eq(accountTokens.kind, 'RESET'), isNull(accountTokens.usedAt)),
      )
      .returning({ tokenHash: accountTokens.tokenHash }),
  ])
  if (spent.length === 0) throw invalidLinkError(at)
  await clearFailedLogins(ctx, headers, { id: row.userId, email: row.email })
  await enqueueMail(ctx, notice.id)
}

function invalidLinkError(usedAt: number | null): AppError {
  return new AppError(usedAt === null ? 'link_expired' : 'link_used', messages.reset.invalid)
}
