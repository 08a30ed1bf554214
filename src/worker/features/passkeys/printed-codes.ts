import { and, eq, getTableColumns, isNotNull, isNull, sql } from 'drizzle-orm'
import { accountAnswers } from '#shared/accounts/account-answers.ts'
import { AppError } from '#shared/errors.ts'
import { printGiftCode, readGiftCode } from '#shared/payments/gift-codes.ts'
import { PRINTED_CODES, RATE_LIMITS } from '#shared/limits.ts'
import { passkeyMessages } from '#shared/accounts/passkey-messages.ts'
import type { PrintedCodeInput } from '#shared/accounts/passkeys.ts'
import { requireProofs } from '#worker/access/confirmed.ts'
import { networkOf } from '#worker/access/guards.ts'
import { forgetEndedSessions } from '#worker/access/session-records.ts'
import { voidResetLinks } from '#worker/features/accounts/account-tokens.ts'
import { clearFailedLogins } from '#worker/features/accounts/login-limits.ts'
import { enterAccount, requireNotSuspended, type SignedIn } from '#worker/features/accounts/login.ts'
import { hashPassword, requireUncommonPassword } from '#worker/features/accounts/passwords.ts'
import { isOpenCode, printedCodeHash, spendCode } from '#worker/features/accounts/spend-code.ts'
import { voidEmailChange } from '#worker/features/accounts/waiting-email-change.ts'
import { voidHandoverOffers } from '#worker/features/accounts/waiting-keepers.ts'
import type { RequestCtx, SessionUser } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { enqueueMail, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { randomBase32 } from '#worker/platform/random.ts'
import { reserveAttempt } from '#worker/platform/rate-limiter.ts'
import { isRecoverable, users } from '#worker/schema/accounts.table.ts'
import { printedCodes } from '#worker/schema/passkeys.table.ts'

/** Letters and digits of a code: 80 random bits, so that its SHA-256 is enough (docs/decisions/0080). */
const CODE_LENGTH = 16

/**
 * Ten new codes in place of all earlier ones, as they are printed: we store only their hashes. Mails the account. Throws
 * `confirmation_needed`, `second_factor_needed`.
 */
export async function makePrintedCodes(ctx: RequestCtx, user: SessionUser): Promise<string[]> {
  const isProved = await requireProofs(ctx)
  const codes = Array.from({ length: PRINTED_CODES }, () => randomBase32(CODE_LENGTH))
  const createdAt = ctx.now()
  const rows = codes.map((code) => ({ userId: user.id, codeHash: printedCodeHash(code), createdAt }))
  const isMade = existsIn(
    printedCodes,
    and(eq(printedCodes.userId, user.id), eq(printedCodes.codeHash, rows[0]?.codeHash ?? '')),
  )
  const mail = { kind: 'printed-codes-made', recipient: user.email, subjectId: user.id } as const
  const notice = insertMailWhere(ctx, mail, isMade)
  const [, [made]] = await ctx.db.batch([
    ctx.db.delete(printedCodes).where(and(eq(printedCodes.userId, user.id), isProved)),
    insertWhere(ctx.db, printedCodes, rows[0]!, isProved).returning({ userId: printedCodes.userId }),
    ...rows.slice(1).map((row) => insertWhere(ctx.db, printedCodes, row, isProved)),
    notice.statement,
  ])
  if (!made) throw new AppError('confirmation_needed', passkeyMessages.confirmFirst)
  await enqueueMail(ctx, notice.id)
  return codes.map(printGiftCode)
}

/**
 * Signs in with an address and one of its printed codes, for whoever has lost mailbox and password: sets a new password, ends every other
 * session, open reset link and offer to hand over a memorial, and mails the account. An unknown address and a wrong or used code get the same answer after the same
 * statements: `invalid_credentials`. Throws `too_many_requests`, and for the right code only `bad_input` for a common password and
 * `account_suspended`.
 */
export async function signInByPrintedCode(
  ctx: RequestCtx,
  { email, code: typed, password }: PrintedCodeInput,
  headers: Headers,
): Promise<SignedIn> {
  const undoCount = await reserveCode(ctx, email)
  const codeHash = printedCodeHash(readGiftCode(typed) ?? '')
  const isRight = sql<number>`${isOpenCode(users.id, codeHash)}`
  const [row] = await ctx.db
    .select({ ...getTableColumns(users), isRight })
    .from(users)
    .where(and(eq(users.email, email), isNotNull(users.emailVerifiedAt), isRecoverable(ctx.now())))
  if (row?.isRight !== 1) throw wrongCodeError()
  requireNotSuspended(row)
  requireUncommonPassword(password, 'password', row)

  const passwordHash = await hashPassword(ctx, password)
  const isOpen = and(
    isOpenCode(row.id, codeHash),
    existsIn(users, and(eq(users.id, row.id), eq(users.email, email), isNull(users.suspendedAt))),
  )!
  const mail = { kind: 'printed-code-used', recipient: row.email, subjectId: row.id } as const
  const notice = insertMailWhere(ctx, mail, isOpen)
  const [[changed]] = await ctx.db.batch([
    ctx.db
      .update(users)
      .set({
        passwordHash,
        /* prove: printed-code-ends-sessions */ sessionEpoch: sql`${users.sessionEpoch} + 1`,
        updatedAt: ctx.now(),
      })
      .where(and(eq(users.id, row.id), isOpen))
      .returning(),
    ...voidResetLinks(ctx, row.id, isOpen),
    voidEmailChange(ctx, row.id, isOpen),
    // prove: printed-code-ends-offers
    voidHandoverOffers(ctx, row.id, isOpen),
    notice.statement,
    forgetEndedSessions(ctx, row.id),
    spendCode(ctx, row.id, codeHash, isOpen),
  ])
  if (!changed) throw wrongCodeError()
  await undoCount()
  await clearFailedLogins(ctx, headers, { id: row.id, email })
  await enqueueMail(ctx, notice.id)
  return enterAccount(ctx, changed, headers, { confirmedAt: ctx.now() })
}

/**
 * Counts a try as failed before it is checked, by address and network: the address may have no account. Never by the address alone, or
 * strangers could keep its owner out.
 */
async function reserveCode(ctx: RequestCtx, email: string): Promise<() => Promise<void>> {
  const name = 'printedCodeFailures'
  const key = `${email} ${networkOf(ctx.ip)}`
  return reserveAttempt(ctx, { name, key, limits: [RATE_LIMITS[name]] }, () => passkeyMessages.tooManyCodes)
}

function wrongCodeError(): AppError {
  return new AppError('invalid_credentials', accountAnswers.wrongPrintedCode)
}
