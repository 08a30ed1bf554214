import type { User } from '#shared/accounts.ts'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'

/** The signed-in user, or 401. */
export function signedIn(ctx: RequestCtx): User {
  if (!ctx.user) throw new AppError('not_signed_in', messages.login.needed)
  return ctx.user
}

/** A signed-in user with the admin role (a column set by the operator), or 401/403. */
export function admin(ctx: RequestCtx): User {
  const user = signedIn(ctx)
  if (!user.isAdmin) throw new AppError('forbidden', messages.system.forbidden)
  return user
}

type IpLimit =
  | 'LIMIT_LOGIN'
  | 'LIMIT_ACCOUNT_MAIL'
  | 'LIMIT_INVITE'
  | 'LIMIT_CONTRIBUTOR_SESSION'
  | 'LIMIT_MAP_IMAGE'
  | 'LIMIT_SLUG'
  | 'LIMIT_HEALTH'
  | 'LIMIT_CLIENT_ERRORS'

/** Limits calls per minute and IP address (limits in wrangler.toml), else 429. IPv6 addresses count by /64. */
export function limitByIp(limit: IpLimit): (ctx: RequestCtx) => Promise<void> {
  return async (ctx) => {
    const { success } = await ctx.env[limit].limit({ key: networkOf(ctx.ip) })
    if (!success) {
      throw new AppError('too_many_requests', messages.system.tooManyRequests, { retryAfterSec: 60 })
    }
  }
}

/** An IPv4 address unchanged, or the /64 prefix of an IPv6 address, which is what one household gets. */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip
  const [head = '', tail] = ip.toLowerCase().split('::')
  const left = head.split(':').filter(Boolean)
  const right = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0')
  const groups = [...left, ...zeros, ...right].slice(0, 4)
  return groups.map((group) => group.replace(/^0+(?=.)/u, '')).join(':')
}
