import { and, eq, lt } from 'drizzle-orm'
import { AppError, fieldError } from '#shared/errors.ts'
import { CHALLENGE_EXPIRES_MS, RATE_LIMITS } from '#shared/limits.ts'
import { passkeyMessages } from '#shared/accounts/passkey-messages.ts'
import type { NewAuthenticator } from '#shared/accounts/passkeys.ts'
import { SITE_NAME } from '#shared/site-name.ts'
import { noteOwnProofs, requireProofs } from '#worker/access/confirmed.ts'
import { seal, unseal } from '#worker/access/sealed.ts'
import { qrSvg } from '#worker/features/location/location.ts'
import { keyUri, stepOf, toBase32 } from '#worker/features/passkeys/totp.ts'
import { readOwnCookie, setOwnCookie } from '#worker/http/cookies.ts'
import type { RequestCtx, SessionUser } from '#worker/platform/ctx.ts'
import { existsIn, insertWhere } from '#worker/platform/db.ts'
import { enqueueMail, insertMailWhere } from '#worker/platform/providers/mail.ts'
import { reserveAttempt } from '#worker/platform/rate-limiter.ts'
import { authenticators } from '#worker/schema/passkeys.table.ts'

/** RFC 4226 recommends as many. */
const SECRET_BYTES = 20
const COOKIE = 'authenticator'
const STORED = 'authenticator'
const OFFERED = 'offered-authenticator'

/**
 * A secret for the user's app. It waits, encrypted, in a cookie of this browser until a first code shows that the app has it. Throws
 * `confirmation_needed`, `second_factor_needed`.
 */
export async function prepareAuthenticator(
  ctx: RequestCtx,
  { id, email }: SessionUser,
  headers: Headers,
): Promise<NewAuthenticator> {
  await requireProofs(ctx)
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  setOwnCookie(headers, ctx.request, COOKIE, await seal(ctx, OFFERED, id, bytes), CHALLENGE_EXPIRES_MS / 1000)
  const secret = toBase32(bytes)
  return { secret, qrSvg: qrSvg(keyUri(secret, SITE_NAME, email)).svg }
}

/**
 * Adds the app whose code this is, in place of an earlier one, mails the account, and counts as used in this session. Throws `bad_input`
 * for a wrong code, `confirmation_needed`, `second_factor_needed`.
 */
export async function addAuthenticator(ctx: RequestCtx, user: SessionUser, code: string): Promise<void> {
  const isProved = await requireProofs(ctx)
  const offered = readOwnCookie(ctx.request, ctx.credentials.cookies, COOKIE) ?? ''
  const found = await unseal(ctx, OFFERED, user.id, offered)
  if (!found) throw new AppError('bad_input', passkeyMessages.tooSlow)
  const lastStep = stepOf(found.secret, code, ctx.now())
  if (lastStep === null) throw wrongCodeError()
  const isUser = eq(authenticators.userId, user.id)
  const secret = await seal(ctx, STORED, user.id, found.secret)
  const row = { userId: user.id, secret, lastStep, createdAt: ctx.now() }
  const isAdded = existsIn(authenticators, and(isUser, eq(authenticators.secret, secret)))
  const mail = { kind: 'authenticator-added', recipient: user.email, subjectId: user.id } as const
  const notice = insertMailWhere(ctx, mail, isAdded)
  const [, added] = await ctx.db.batch([
    ctx.db.delete(authenticators).where(and(isUser, isProved)),
    insertWhere(ctx.db, authenticators, row, isProved)
      .onConflictDoNothing()
      .returning({ userId: authenticators.userId }),
    notice.statement,
  ])
  if (added.length === 0) throw new AppError('confirmation_needed', passkeyMessages.confirmFirst)
  await noteOwnProofs(ctx, { secondFactorAt: ctx.now() })
  await enqueueMail(ctx, notice.id)
}

/** Throws `not_found` without one, `confirmation_needed`, `second_factor_needed`. Mails the account. */
export async function removeAuthenticator(ctx: RequestCtx, user: SessionUser): Promise<void> {
  const isTarget = and(eq(authenticators.userId, user.id), await requireProofs(ctx))
  const mail = { kind: 'authenticator-removed', recipient: user.email, subjectId: user.id } as const
  const notice = insertMailWhere(ctx, mail, existsIn(authenticators, isTarget))
  const [, removed] = await ctx.db.batch([
    notice.statement,
    ctx.db.delete(authenticators).where(isTarget).returning({ userId: authenticators.userId }),
  ])
  if (removed.length === 0) throw new AppError('not_found', passkeyMessages.noAuthenticator)
  await enqueueMail(ctx, notice.id)
}

/**
 * Notes in this session that the admin used their app. Throws `bad_input` for a wrong code and for one that was used, `not_found` without
 * an app, `too_many_requests`.
 */
export async function useAuthenticator(ctx: RequestCtx, { id }: SessionUser, code: string): Promise<void> {
  const { authenticatorFailures, authenticatorFailuresADay } = RATE_LIMITS
  const undoCount = await reserveAttempt(
    ctx,
    { name: 'authenticatorFailures', key: id, limits: [authenticatorFailures, authenticatorFailuresADay] },
    () => passkeyMessages.tooManyCodes,
  )
  const [row] = await ctx.db.select().from(authenticators).where(eq(authenticators.userId, id))
  if (!row) throw new AppError('not_found', passkeyMessages.noAuthenticator)
  const found = await unseal(ctx, STORED, id, row.secret)
  // The pepper was replaced, and the previous one is gone: `npm run admin -- reset-second-factor`.
  if (!found)
    ctx.log.error('authenticator_unreadable', 'an authenticator’s secret uses an unknown PASSWORD_PEPPER')
  const step = found && stepOf(found.secret, code, ctx.now())
  if (step === null) throw wrongCodeError()
  const [used] = await ctx.db
    .update(authenticators)
    .set({ lastStep: step, ...(found?.isOutdated && { secret: await seal(ctx, STORED, id, found.secret) }) })
    .where(
      and(
        eq(authenticators.userId, id),
        eq(authenticators.secret, row.secret),
        // prove: authenticator-code-once
        lt(authenticators.lastStep, step),
      ),
    )
    .returning({ userId: authenticators.userId })
  if (!used) throw wrongCodeError()
  await undoCount()
  await noteOwnProofs(ctx, { secondFactorAt: ctx.now() })
}

function wrongCodeError(): AppError {
  return fieldError('bad_input', 'code', passkeyMessages.wrongAppCode)
}
