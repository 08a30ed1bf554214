import { readCookies } from '#worker/http/cookies.ts'
import type { FirstRead } from '#worker/platform/db.ts'

/** Calls that look at what is public and decide nothing by their address alone, as an invitation or a mail's link does. */
const PUBLIC_LOOKS = /^\/(?:api\/memorials?\/[^/]|media\/stream\/)/u
const LOOKS = new Set(['GET', 'HEAD'])
const CREDENTIAL_HEADERS = ['Authorization', 'X-Contributor-Token', 'Cf-Access-Jwt-Assertion']
const CREDENTIAL_COOKIE = /^(?:__Host-)?(?:session$|contributor-)/u

/**
 * Where the first question of a call goes. Near the reader only where nobody says who they are and nothing is written: such
 * a call sees what is public, and is behind by as much as a replica. Whoever shows anything (a session, a contributor's
 * token, an invitation) is answered from the primary, so that what was revoked is, and who writes sees what they wrote.
 */
export function firstReadOf(request: Request): FirstRead {
  const { pathname, searchParams } = new URL(request.url)
  const isLook = LOOKS.has(request.method) && PUBLIC_LOOKS.test(pathname)
  const showsSomething =
    searchParams.has('invite') ||
    CREDENTIAL_HEADERS.some((name) => request.headers.has(name)) ||
    Object.keys(readCookies(request)).some((name) => CREDENTIAL_COOKIE.test(name))
  return isLook && !showsSomething ? 'first-unconstrained' : 'first-primary'
}
