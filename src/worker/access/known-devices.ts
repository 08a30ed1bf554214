import { timingSafeEqual } from 'node:crypto'
import { KNOWN_DEVICE_EXPIRES_MS } from '#shared/limits.ts'
import { readOwnCookie, setOwnCookie } from '#worker/http/cookies.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { keyedHash } from '#worker/platform/keyed-hash.ts'
import { newToken } from '#worker/platform/random.ts'

/** An account, in the epoch in which its devices are recognised. */
type Account = { id: string; sessionEpoch: number }

const DEVICE_COOKIE = /^(?:__Host-)?device-/u
const COOKIE_VALUE = /^([\w-]{43})\.([\w-]{43})$/u

/** One cookie per account, for families that share a phone. */
function cookieFor(account: Account): string {
  return `device-${account.id}`
}

/**
 * Marks this browser as one that proved to belong to the account: a random id and its signature, which only this account in
 * this session epoch accepts. It opens nothing. Guesses from elsewhere then don't count against it (OWASP: device cookies,
 * https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies).
 */
export function rememberDevice(ctx: Ctx, request: Request, headers: Headers, account: Account): void {
  const pepper = ctx.env.PASSWORD_PEPPER
  if (!pepper) return
  const id = newToken()
  const value = `${id}.${sign(pepper, account, id)}`
  setOwnCookie(headers, request, cookieFor(account), value, KNOWN_DEVICE_EXPIRES_MS / 1000)
}

/** True when the request has a device cookie, of whatever account, valid or not. */
export function carriesDeviceCookie(ctx: RequestCtx): boolean {
  return Object.keys(ctx.credentials.cookies).some((name) => DEVICE_COOKIE.test(name))
}

/** The id of this browser if it is a known device of the account, else null. */
export function findKnownDevice(ctx: RequestCtx, account: Account): string | null {
  const value = readOwnCookie(ctx.request, ctx.credentials.cookies, cookieFor(account))
  const [, id = '', signature = ''] = COOKIE_VALUE.exec(value ?? '') ?? []
  const peppers = [ctx.env.PASSWORD_PEPPER, ctx.env.PASSWORD_PEPPER_OLD].filter((one) => one !== undefined)
  const isKnown = peppers.some((pepper) => {
    const expected = Buffer.from(sign(pepper, account, id))
    const given = Buffer.from(signature)
    return (
      given.length === expected.length && /* prove: device-cookie-signed */ timingSafeEqual(given, expected)
    )
  })
  return isKnown ? id : null
}

function sign(pepper: string, { id: userId, sessionEpoch }: Account, id: string): string {
  return keyedHash(pepper, 'known-device', [userId, sessionEpoch, id]).toString('base64url')
}
