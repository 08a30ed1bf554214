import { eq, not } from 'drizzle-orm'
import { AppError } from '#shared/errors.ts'
import { CHALLENGE_EXPIRES_MS } from '#shared/limits.ts'
import { passkeyMessages } from '#shared/accounts/passkey-messages.ts'
import { isLinkToken, linkToken } from '#worker/access/pepper.ts'
import { readOwnCookie, setOwnCookie } from '#worker/http/cookies.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { existsIn } from '#worker/platform/db.ts'
import { hashToken, newToken } from '#worker/platform/random.ts'
import { usedChallenges } from '#worker/schema/passkeys.table.ts'

/** What a passkey is asked for: an answer to one question doesn't answer another. */
type Purpose = 'sign-in' | 'confirm' | 'add'
/** The purpose, and who is asked; nobody in particular at sign-in. */
type Question = { purpose: Purpose; userId: string | null }
export type Challenge = { challenge: string; expiresAt: number }

const COOKIE = 'passkey'
const VALUE = /^([\w-]{43})\.(\d{13})\.([\w-]{43})$/u

/**
 * A new challenge. It waits in a signed cookie of the browser that asked, which binds it to that browser and stores nothing for whoever
 * asks a thousand times; D1 records it once it was answered ({@link recordChallenge}).
 */
export function newChallenge(ctx: RequestCtx, headers: Headers, question: Question): string {
  const challenge = newToken()
  const expiresAt = ctx.now() + CHALLENGE_EXPIRES_MS
  const signature = linkToken(ctx, 'challenge', ...partsOf(question, { challenge, expiresAt }))
  const value = `${challenge}.${expiresAt}.${signature}`
  setOwnCookie(headers, ctx.request, COOKIE, value, CHALLENGE_EXPIRES_MS / 1000)
  return challenge
}

/** The challenge that this browser was given for this question. Throws `bad_input` without one that lives. */
export function requireChallenge(ctx: RequestCtx, question: Question): Challenge {
  const value = readOwnCookie(ctx.request, ctx.credentials.cookies, COOKIE)
  const [, challenge = '', until = '', signature = ''] = VALUE.exec(value ?? '') ?? []
  const given = { challenge, expiresAt: Number(until) }
  const isOurs = isLinkToken(ctx, signature, 'challenge', ...partsOf(question, given))
  const isOver = given.expiresAt <= ctx.now()
  if (/* prove: challenge-signed */ !isOurs || /* prove: challenge-expires */ isOver) throw tooSlowError()
  return given
}

/** SQL condition: nobody has answered this challenge yet. */
export function isUnanswered({ challenge }: Challenge) {
  return not(existsIn(usedChallenges, eq(usedChallenges.challengeHash, hashToken(challenge))))
}

/** Statement: the challenge is answered. Put it behind what needs {@link isUnanswered} in the same batch. */
export function recordChallenge({ db }: Ctx, { challenge, expiresAt }: Challenge) {
  return db
    .insert(usedChallenges)
    .values({ challengeHash: hashToken(challenge), expiresAt })
    .onConflictDoNothing()
}

export function tooSlowError(): AppError {
  return new AppError('bad_input', passkeyMessages.tooSlow)
}

function partsOf({ purpose, userId }: Question, { challenge, expiresAt }: Challenge): (string | number)[] {
  return [purpose, /* prove: challenge-for-one-user */ userId ?? '', challenge, expiresAt]
}
