import { and, eq, getTableColumns, lt, or, sql } from 'drizzle-orm'
import type { User } from '#shared/accounts/accounts.ts'
import { AppError, fieldError } from '#shared/errors.ts'
import { CHALLENGE_EXPIRES_MS } from '#shared/limits.ts'
import { passkeyMessages } from '#shared/accounts/passkey-messages.ts'
import type { KnownPasskey, PasskeyInput, PasskeyRequest } from '#shared/accounts/passkeys.ts'
import { noteOwnProofs } from '#worker/access/confirmed.ts'
import {
  enterAccount,
  requireNotSuspended,
  requirePassword,
  type SignedIn,
} from '#worker/features/accounts/login.ts'
import {
  isUnanswered,
  newChallenge,
  recordChallenge,
  requireChallenge,
  tooSlowError,
  type Challenge,
} from '#worker/features/passkeys/challenges.ts'
import { selectPasskeys, toKnown, userHandle } from '#worker/features/passkeys/passkeys.ts'
import { relyingParty, verifyPasskey } from '#worker/features/passkeys/verify.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { isRecoverable, users } from '#worker/schema/accounts.table.ts'
import { passkeys } from '#worker/schema/passkeys.table.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Asks for any passkey of this site: the browser lists them, so the answer is the same for everybody. */
export function askForAnyPasskey(ctx: RequestCtx, headers: Headers): PasskeyRequest {
  return toRequest(ctx, newChallenge(ctx, headers, { purpose: 'sign-in', userId: null }), [])
}

/** Asks for a passkey of the signed-in user. */
export async function askForOwnPasskey(
  ctx: RequestCtx,
  user: User,
  headers: Headers,
): Promise<PasskeyRequest> {
  const known = await selectPasskeys(ctx, user.id)
  const challenge = newChallenge(ctx, headers, { purpose: 'confirm', userId: user.id })
  return toRequest(ctx, challenge, known.map(toKnown))
}

function toRequest(ctx: Ctx, challenge: string, allowCredentials: KnownPasskey[]): PasskeyRequest {
  const { id: rpId } = relyingParty(ctx)
  return { challenge, rpId, timeout: CHALLENGE_EXPIRES_MS, allowCredentials, userVerification: 'required' }
}

/**
 * Signs in with a passkey, as {@link login} does with a password; restores an account that its owner deleted less than 30 days ago. Throws
 * `invalid_credentials` for a passkey that is unknown, removed or doesn't fit, `bad_input` for a challenge that is used or too old, and,
 * only for the right passkey, `account_suspended`.
 */
export async function signInByPasskey(
  ctx: RequestCtx,
  input: PasskeyInput,
  headers: Headers,
): Promise<SignedIn> {
  const challenge = requireChallenge(ctx, { purpose: 'sign-in', userId: null })
  const [row] = await ctx.db
    .select({ passkey: getTableColumns(passkeys), user: getTableColumns(users) })
    .from(passkeys)
    .innerJoin(users, eq(users.id, passkeys.userId))
    .where(and(eq(passkeys.credentialId, input.credential.id), isRecoverable(ctx.now())))
  const refusal = new AppError('invalid_credentials', passkeyMessages.unknown)
  if (!row) throw refusal
  await usePasskey(ctx, input, challenge, row.passkey, refusal)
  requireNotSuspended(row.user)
  const at = ctx.now()
  return enterAccount(ctx, row.user, headers, { confirmedAt: at, secondFactorAt: at })
}

/** The signed-in user proves by password that it's them. Throws `bad_input` for a wrong one, `too_many_requests`. */
export async function confirmByPassword(ctx: RequestCtx, user: User, password: string): Promise<void> {
  const refusal = fieldError('bad_input', 'password', serverMessages.account.wrongPassword)
  await requirePassword(ctx, user, password, refusal)
  await noteOwnProofs(ctx, { confirmedAt: ctx.now() })
}

/** The same by a passkey of theirs. Throws `bad_input` for any other. */
export async function confirmByPasskey(ctx: RequestCtx, user: User, input: PasskeyInput): Promise<void> {
  const challenge = requireChallenge(ctx, { purpose: 'confirm', userId: user.id })
  const [passkey] = await ctx.db
    .select()
    .from(passkeys)
    .where(
      and(
        eq(passkeys.credentialId, input.credential.id),
        // prove: confirm-by-own-passkey
        eq(passkeys.userId, user.id),
      ),
    )
  const refusal = new AppError('bad_input', passkeyMessages.notYours)
  if (!passkey) throw refusal
  await usePasskey(ctx, input, challenge, passkey, refusal)
  const at = ctx.now()
  await noteOwnProofs(ctx, { confirmedAt: at, secondFactorAt: at })
}

/** Checks the passkey's answer and records it: once for a challenge, and only while the passkey counts forwards. */
async function usePasskey(
  ctx: Ctx,
  input: PasskeyInput,
  challenge: Challenge,
  passkey: typeof passkeys.$inferSelect,
  refusal: AppError,
): Promise<void> {
  const { userHandle: handle } = input.credential.response
  if (handle !== undefined && handle !== userHandle(passkey.userId)) throw refusal
  const counter = await verifyPasskey(ctx, input, challenge.challenge, passkey)
  if (counter === null) throw refusal
  const countsOn = or(lt(passkeys.counter, counter), and(eq(passkeys.counter, 0), sql`${counter} = 0`))
  const [used] = await ctx.db.batch([
    ctx.db
      .update(passkeys)
      .set({ counter, lastUsedAt: ctx.now() })
      .where(
        and(
          eq(passkeys.id, passkey.id),
          // prove: passkey-counts-on
          countsOn,
          // prove: challenge-once
          isUnanswered(challenge),
        ),
      )
      .returning({ id: passkeys.id }),
    recordChallenge(ctx, challenge),
  ])
  if (used.length === 0) throw tooSlowError()
}
