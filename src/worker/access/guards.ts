import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import { passkeyMessages } from '#shared/accounts/passkey-messages.ts'
import type { RequestCtx, SessionUser } from '#worker/platform/ctx.ts'
import type { IpLimit } from '#worker/platform/env.ts'
import { createRemoteJWKSet, jwtVerify, type JWTVerifyGetKey } from 'jose'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** The signed-in user, or 401. */
export function signedIn(ctx: RequestCtx): SessionUser {
  if (!ctx.user) throw new AppError('not_signed_in', messages.login.needed)
  return ctx.user
}

/** A signed-in user with the admin role (a column set by the operator), whatever was used in this session, or 401/403. */
export function adminAccount(ctx: RequestCtx): SessionUser {
  const user = signedIn(ctx)
  if (!user.isAdmin && !user.needsSecondFactor) {
    throw new AppError('forbidden', messages.system.forbidden)
  }
  return user
}

/** An admin who used a second factor in this session, or 401/403: `second_factor_needed` for one who didn't. */
export function admin(ctx: RequestCtx): SessionUser {
  const user = signedIn(ctx)
  if (user.needsSecondFactor) {
    throw new AppError('second_factor_needed', passkeyMessages.secondFactorNeeded)
  }
  if (!user.isAdmin) throw new AppError('forbidden', messages.system.forbidden)
  return user
}

/** Limits calls per minute and IP address (limits in wrangler.toml), else 429. IPv6 addresses count by /64. */
export function limitByIp(limit: IpLimit): (ctx: Pick<RequestCtx, 'env' | 'ip'>) => Promise<void> {
  return (ctx) => limitByKey(ctx, limit, networkOf(ctx.ip))
}

/** Like {@link limitByIp}, counting by `key` instead. */
export async function limitByKey(ctx: Pick<RequestCtx, 'env'>, limit: IpLimit, key: string): Promise<void> {
  const { success } = await ctx.env[limit].limit({ key })
  if (!success) {
    throw new AppError('too_many_requests', serverMessages.system.tooManyRequests, { retryAfterSec: 60 })
  }
}

/**
 * An IPv4 address unchanged, or the prefix of an IPv6 address: of 4 groups (/64), which is what one household gets, or of 3 (/48),
 * which is what one customer can rent.
 */
export function networkOf(ip: string, groupCount: 3 | 4 = 4): string {
  if (!ip.includes(':')) return ip
  const [head = '', tail] = ip.toLowerCase().split('::')
  const left = head.split(':').filter(Boolean)
  const right = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  const groups = [...left, ...zeros, ...right].slice(0, groupCount)
  return groups.map((group) => group.replace(/^0+(?=.)/u, '')).join(':')
}

/** Key sets by team, cached in the isolate; jose fetches again for an unknown key id. */
const keySets = new Map<string, JWTVerifyGetKey>()

/**
 * Where the console is behind Cloudflare Access (both settings are set), throws 403 unless the request has a valid
 * assertion for this application. https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/authorization-cookie/validating-json/
 */
export async function requireCloudflareAccess(ctx: RequestCtx): Promise<void> {
  const { ACCESS_TEAM_DOMAIN: team, ACCESS_AUD: audience } = ctx.env
  if (!team && !audience) return
  if (!team || !audience) {
    // One setting alone is a mistake; skipping the check would hide it.
    const cause = new Error('ACCESS_TEAM_DOMAIN and ACCESS_AUD must be set together')
    throw new AppError('not_available', messages.system.notAvailable, { cause })
  }
  const issuer = `https://${team.replace(/^https:\/\//u, '').replace(/\/+$/u, '')}`
  const assertion = ctx.request.headers.get('Cf-Access-Jwt-Assertion')
  if (!assertion) throw new AppError('forbidden', messages.system.forbidden)
  try {
    await jwtVerify(assertion, keySetOf(issuer), {
      // prove: access-jwt-issuer
      issuer,
      // prove: access-jwt-audience
      audience,
      algorithms: ['RS256'],
      // prove: access-jwt-expiry
      requiredClaims: ['exp'],
      currentDate: new Date(ctx.now()),
    })
  } catch (error) {
    ctx.log.warn('access_assertion_refused', {
      cause: error instanceof Error ? error.message : String(error),
    })
    throw new AppError('forbidden', messages.system.forbidden)
  }
}

function keySetOf(issuer: string): JWTVerifyGetKey {
  const known = keySets.get(issuer)
  if (known) return known
  const keySet = createRemoteJWKSet(new URL(`${issuer}/cdn-cgi/access/certs`))
  keySets.set(issuer, keySet)
  return keySet
}
