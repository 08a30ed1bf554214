import { eq } from 'drizzle-orm'
import type { User } from '#shared/accounts/accounts.ts'
import { RATE_LIMITS } from '#shared/limits.ts'
import { tooManyPasswords } from '#shared/messages.ts'
import { limitByIp, limitByKey, networkOf } from '#worker/access/guards.ts'
import { carriesDeviceCookie, findKnownDevice, rememberDevice } from '#worker/access/known-devices.ts'
import { readOwnCookie, SESSION_COOKIE } from '#worker/http/cookies.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { hashToken } from '#worker/platform/random.ts'
import { clearRateLimit, reserveAttempt } from '#worker/platform/rate-limiter.ts'
import { users } from '#worker/schema/accounts.table.ts'

/** Removes the count of an attempt that succeeded. */
type UndoCount = () => Promise<void>

const { loginFailures, unknownDeviceFailures } = RATE_LIMITS
const limitLogins = limitByIp('LIMIT_LOGIN')

/**
 * Route guard of the login: the limit by IP address. A browser with a device cookie is counted in {@link reserveLogin}, once
 * it is known whether the cookie is right: guesses by somebody behind the same address must not close its login.
 */
export async function limitUnknownDevices(ctx: RequestCtx): Promise<void> {
  if (!carriesDeviceCookie(ctx)) await limitLogins(ctx)
}

/**
 * Counts a sign-in as failed before its password is checked, or throws `too_many_requests`. A browser that signed in before
 * has a count of its own, which nobody else can raise. All others count by account and network, and together by account.
 * An address without an account (`account` null) counts like any other.
 */
export async function reserveLogin(
  ctx: RequestCtx,
  email: string,
  account: { id: string; sessionEpoch: number } | null,
): Promise<UndoCount> {
  const device = account && findKnownDevice(ctx, account)
  // prove: known-device-counts-alone
  if (device) {
    await limitByKey(ctx, 'LIMIT_LOGIN', device)
    return reserve(ctx, 'loginFailures', `device:${device}`, [loginFailures])
  }
  if (carriesDeviceCookie(ctx)) await limitLogins(ctx)
  const source = hashToken(`${email} ${networkOf(ctx.ip)}`)
  return reserve(ctx, 'unknownDeviceFailures', email, [{ ...loginFailures, source }, unknownDeviceFailures])
}

/** Like {@link reserveLogin}, for a signed-in user's own password. Counts by session, so that only they can use it up. */
export async function reservePasswordCheck(ctx: RequestCtx): Promise<UndoCount> {
  const session = readOwnCookie(ctx.request, ctx.credentials.cookies, SESSION_COOKIE) ?? ''
  return reserve(ctx, 'loginFailures', `session:${hashToken(session)}`, [loginFailures])
}

/**
 * After a password reset or a confirmed address: forgets the failed sign-ins of the account, and knows this browser from now on. Otherwise somebody
 * who goes on guessing would keep the owner out again before they have typed the new password. Only logs its own failure,
 * because the new password holds.
 */
export async function clearFailedLogins(
  ctx: RequestCtx,
  headers: Headers,
  user: Pick<User, 'id' | 'email'>,
): Promise<void> {
  try {
    // prove: reset-clears-failed-logins
    await clearRateLimit(ctx, 'unknownDeviceFailures', user.email)
    const [account] = await ctx.db
      .select({ id: users.id, sessionEpoch: users.sessionEpoch })
      .from(users)
      .where(eq(users.id, user.id))
    // prove: reset-knows-device
    if (account) rememberDevice(ctx, ctx.request, headers, account)
  } catch (error) {
    ctx.log.error('failed_logins_not_cleared', error)
  }
}

function reserve(
  ctx: RequestCtx,
  name: keyof typeof RATE_LIMITS,
  key: string,
  limits: Parameters<typeof reserveAttempt>[1]['limits'],
): Promise<UndoCount> {
  return reserveAttempt(ctx, { name, key, limits }, tooManyPasswords)
}
