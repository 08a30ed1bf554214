import { timingSafeEqual } from 'node:crypto'
import { AppError } from '#shared/errors.ts'
import { CODE_DIGITS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { networkOf } from '#worker/access/guards.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { keyedHash } from '#worker/platform/keyed-hash.ts'
import { hashToken } from '#worker/platform/random.ts'

/** Throws `not_available` and logs an error when PASSWORD_PEPPER is not set. */
export function requirePepper(ctx: Ctx): string {
  const pepper = ctx.env.PASSWORD_PEPPER
  if (pepper) return pepper
  ctx.log.error('password_pepper_missing', 'PASSWORD_PEPPER is not set: nobody can register or sign in')
  throw new AppError('not_available', messages.system.notAvailable)
}

type LinkKind =
  | 'verify'
  | 'reset'
  | 'email-old'
  | 'email-new'
  | 'email-undo'
  | 'visitor-words'
  | 'visitor-session'
  | 'unsubscribe'
  | 'follow'
  | 'unfollow'
  | 'reply'
  | 'reply-device'
  | 'keeper'
  | 'still-here'
  | 'let-in'
  | 'challenge'

/**
 * The token of a link: the same row gives the same token, so that a link can be mailed again although only its SHA-256 is
 * stored (docs/decisions/0051). `parts` must hold a random column: database and pepper are both needed to make a token.
 */
export function linkToken(ctx: Ctx, kind: LinkKind, ...parts: (string | number)[]): string {
  return keyedHash(requirePepper(ctx), kind, parts).toString('base64url')
}

/** The token of a stored link, or null if neither the pepper nor the previous one made it. */
export function remakeLinkToken(
  ctx: Ctx,
  tokenHash: string,
  kind: LinkKind,
  ...parts: (string | number)[]
): string | null {
  return possibleLinkTokens(ctx, kind, ...parts).find((token) => hashToken(token) === tokenHash) ?? null
}

/** The tokens that the pepper and the previous one make. */
export function possibleLinkTokens(ctx: Ctx, kind: LinkKind, ...parts: (string | number)[]): string[] {
  const peppers = [requirePepper(ctx), ctx.env.PASSWORD_PEPPER_OLD]
  return peppers.flatMap((pepper) => (pepper ? keyedHash(pepper, kind, parts).toString('base64url') : []))
}

/** True if the pepper, or the previous one, makes this token of a link that isn't stored. */
export function isLinkToken(ctx: Ctx, given: string, kind: LinkKind, ...parts: (string | number)[]): boolean {
  return possibleLinkTokens(ctx, kind, ...parts).some((one) => isSame(one, given))
}

/** The digits of a code that is mailed: the same ones for a second attempt to send the mail. */
export function mailedCode(ctx: Ctx, mailId: string, requestHash: string): string {
  const bytes = keyedHash(requirePepper(ctx), 'mailed-code', [mailId, requestHash])
  return String(bytes.readUIntBE(0, 6) % 10 ** CODE_DIGITS).padStart(CODE_DIGITS, '0')
}

/** What is stored of a code: nobody can try out its digits without the pepper. The second one is by the previous pepper, if there is one. */
export function codeHashes(ctx: Ctx, requestHash: string, code: string): [string, ...string[]] {
  const hashBy = (pepper: string) => keyedHash(pepper, 'code', [requestHash, code]).toString('base64url')
  const { PASSWORD_PEPPER_OLD: old } = ctx.env
  return [hashBy(requirePepper(ctx)), ...(old ? [hashBy(old)] : [])]
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** One salt for all registrations of an address: a login compares one hash with each of them, and takes as long as any. */
export function registrationSalt(ctx: Ctx, email: string): Buffer {
  return keyedHash(requirePepper(ctx), 'salt', [email]).subarray(0, 16)
}

/** A pseudonym of an IP network, which nobody can try out without the pepper. */
export function networkHash(ctx: Ctx, network: string): string {
  return keyedHash(requirePepper(ctx), 'network', [network]).toString('base64url')
}

/** Stands for whoever reports an item, by their network: nobody can tell from it who reported two items. */
export function reporterHash(ctx: Ctx, itemId: string, network: string): string {
  return keyedHash(requirePepper(ctx), 'reporter', [itemId, network]).toString('base64url')
}

/** Stands for a browser that has no session yet: its network, and what it says of itself. Reveals neither. */
export function unknownBrowser(ctx: RequestCtx, memorialId: string): string {
  const browser = ctx.request.headers.get('User-Agent') ?? ''
  return keyedHash(requirePepper(ctx), 'visitor', [memorialId, networkOf(ctx.ip), browser]).toString(
    'base64url',
  )
}
