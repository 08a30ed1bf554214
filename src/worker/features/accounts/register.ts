import { accountAnswers } from '#shared/accounts/account-answers.ts'
import { and, eq, isNull, not, sql } from 'drizzle-orm'
import type { RegisterInput, VerifyEmailInput } from '#shared/accounts/accounts.ts'
import { TERMS_VERSION, VERIFY_TOKEN_EXPIRES_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { networkOf } from '#worker/access/guards.ts'
import { countVerificationMail, requireVerificationMail } from '#worker/features/accounts/mail-budgets.ts'
import { clearFailedLogins } from '#worker/features/accounts/login-limits.ts'
import { hashPassword, requireUncommonPassword } from '#worker/features/accounts/passwords.ts'
import { networkHash, registrationSalt } from '#worker/access/pepper.ts'
import {
  confirmRegistration,
  insertRegistration,
  invalidLinkError,
  isOpenOf,
  makeRoom,
  requireRegistration,
} from '#worker/features/accounts/registrations.ts'
import { readOwnCookie, setOwnCookie } from '#worker/http/cookies.ts'
import { afterAnswer, type RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { enqueueMail, insertMailWhere, mailRow } from '#worker/platform/providers/mail.ts'
import { hashToken, newId, newToken } from '#worker/platform/random.ts'
import { isRecoverable, registrations, users } from '#worker/schema/accounts.table.ts'
import { mails } from '#worker/schema/mail.table.ts'

/** Proves that this browser registered, so that the link confirms the password that was typed in it. */
const REGISTRATION_COOKIE = 'registration'

function registrationCookie(ctx: RequestCtx): string | null {
  const value = readOwnCookie(ctx.request, ctx.credentials.cookies, REGISTRATION_COOKIE)
  return value && /^[\w-]{43}$/u.test(value) ? value : null
}

/**
 * Registers an address: an attempt of its own with its own link, which counts only with proof of the mailbox
 * (docs/decisions/0051). Every address takes the same queries in one batch and sets the same cookie, so answer and timing do
 * not reveal who is registered. A confirmed address gets an "already registered" mail instead. Throws `bad_input`,
 * `not_available`, and `too_many_requests` when no mail would be sent.
 */
export async function register(ctx: RequestCtx, input: RegisterInput, headers: Headers): Promise<void> {
  const { email, firstName, lastName } = input
  requireUncommonPassword(input.password, 'password', input)
  await requireVerificationMail(ctx, email)
  const passwordHash = await hashPassword(ctx, input.password, undefined, registrationSalt(ctx, email))
  // The same browser keeps its token: each of its attempts stays its own.
  const cookie = registrationCookie(ctx) ?? newToken()
  const at = ctx.now()
  const profile = {
    firstName,
    lastName,
    termsAcceptedAt: at,
    termsVersion: TERMS_VERSION,
    createdAt: at,
    updatedAt: at,
  }
  const isExisting = and(eq(users.email, email), isRecoverable(at))
  const existingId = sql<string>`(select ${users.id} from ${users} where ${isExisting})`
  const isUnverified = existsIn(users, and(isExisting, isNull(users.emailVerifiedAt)))
  const mail = mailRow(ctx, { kind: 'verify', recipient: email, subjectId: '' })
  await ctx.db.batch([
    ctx.db
      .insert(users)
      .values({ id: newId('user'), email, ...profile, passwordHash: 'none' })
      .onConflictDoNothing(),
    ctx.db
      .update(users)
      .set(profile)
      .where(and(isExisting, isNull(users.emailVerifiedAt))),
    insertRegistration(
      ctx,
      existingId,
      mail.id,
      {
        firstName,
        lastName,
        passwordHash,
        cookieHash: hashToken(cookie),
        network: networkHash(ctx, networkOf(ctx.ip)),
      },
      isUnverified,
    ),
    /* prove: five-open-attempts */ makeRoom(ctx, existingId),
    insertWhere(ctx.db, mails, mail, sql`${existingId} is not null`, {
      subjectId: existingId,
      kind: sql`case when ${isUnverified} then 'verify' else 'already-registered' end`,
    }),
  ])
  setOwnCookie(headers, ctx.request, REGISTRATION_COOKIE, cookie, VERIFY_TOKEN_EXPIRES_MS / 1000)
  await enqueueMail(ctx, mail.id)
}

/**
 * Sends the link of this browser's attempt again, else that of the newest one. The work runs after the response, so that
 * neither the answer nor its timing reveals which addresses exist. Returns what to say: over the limit, that nothing was sent.
 */
export async function resendVerification(ctx: RequestCtx, email: string): Promise<string> {
  if ((await countVerificationMail(ctx, email)) > 0) return accountAnswers.manyMails
  afterAnswer(ctx, 'resend_verification', async () => {
    const [user] = await ctx.db
      .select({ id: users.id, firstName: users.firstName, lastName: users.lastName })
      .from(users)
      .where(and(eq(users.email, email), isNull(users.emailVerifiedAt), isNull(users.deletedAt)))
    if (!user) return
    const { id, firstName, lastName } = user
    const isUnverified = existsIn(users, and(eq(users.id, id), isNull(users.emailVerifiedAt)))
    const mail = insertMailWhere(ctx, { kind: 'verify', recipient: email, subjectId: id }, isUnverified)
    const nothing = { passwordHash: null, cookieHash: null, network: null }
    const hasNone = and(isUnverified, not(existsIn(registrations, isOpenOf(id))))!
    const cookie = registrationCookie(ctx)
    const chosen = sql`(select ${registrations.id} from ${registrations} where ${isOpenOf(id)}
      order by ${registrations.cookieHash} is ${cookie && hashToken(cookie)} and ${registrations.cookieHash} is not null desc,
        ${registrations}.rowid desc limit 1)`
    await ctx.db.batch([
      insertRegistration(ctx, sql`${id}`, mail.id, { firstName, lastName, ...nothing }, hasNone),
      ctx.db.update(registrations).set({ mailId: mail.id }).where(eq(registrations.id, chosen)),
      mail.statement,
    ])
    await enqueueMail(ctx, mail.id)
  })
  return messages.verify.resent
}

/** What opening a link does: it confirms the address, or the person must type a password of their own. */
export type Opened = { message: string } | { needsPassword: true }

/**
 * Confirms the address that a link was sent to, in the browser that registered, with what was typed there. Anywhere else (on
 * another device, by a mail scanner, by the owner of the mailbox whom a stranger registered) it changes nothing. Opening the
 * link again succeeds. It never creates a session (ASVS 7.6.2). Throws `link_used` or `link_expired`.
 */
export async function openVerificationLink(
  ctx: RequestCtx,
  token: string,
  headers: Headers,
): Promise<Opened> {
  const attempt = await requireRegistration(ctx, token)
  const { firstName, lastName, passwordHash, cookieHash, createdAt } = attempt
  if (attempt.usedAt === null) {
    const cookie = registrationCookie(ctx)
    const isOwn = cookie !== null && /* prove: link-confirms-own-browser */ cookieHash === hashToken(cookie)
    if (!isOwn || passwordHash === null) return { needsPassword: true }
    const profile = { firstName, lastName, passwordHash, termsAcceptedAt: createdAt }
    await confirmRegistration(ctx, token, attempt.userId, profile)
    await clearFailedLogins(ctx, headers, { id: attempt.userId, email: attempt.email })
    setOwnCookie(headers, ctx.request, REGISTRATION_COOKIE, '', 0)
  }
  return { message: messages.verify.success }
}

/** Confirms an address with a name and a password that the person with the mail typed. Throws `bad_input`, `link_used`, `link_expired`. */
export async function verifyEmail(ctx: RequestCtx, input: VerifyEmailInput, headers: Headers): Promise<void> {
  const attempt = await requireRegistration(ctx, input.token)
  if (attempt.usedAt !== null) throw invalidLinkError(attempt.usedAt)
  requireUncommonPassword(input.password, 'password', { ...input, email: attempt.email })
  const passwordHash = await hashPassword(ctx, input.password)
  const { firstName, lastName } = input
  const terms = { termsAcceptedAt: ctx.now(), termsVersion: TERMS_VERSION }
  const profile = { firstName, lastName, passwordHash, ...terms }
  await confirmRegistration(ctx, input.token, attempt.userId, profile)
  await clearFailedLogins(ctx, headers, { id: attempt.userId, email: attempt.email })
}
