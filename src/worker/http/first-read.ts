import { readCookies } from '#worker/http/cookies.ts'
import type { FirstRead } from '#worker/platform/db.ts'

/** Reads of public data. URLs that themselves grant something (invitations, links in mails) are not among them. */
const PUBLIC_READS = /^\/(?:api\/memorials?\/[^/]|media\/stream\/)/u
const READ_METHODS = new Set(['GET', 'HEAD'])
const CREDENTIAL_HEADERS = ['Authorization', 'X-Contributor-Token', 'Cf-Access-Jwt-Assertion']
const CREDENTIAL_COOKIE = /^(?:__Host-)?(?:session$|contributor-)/u

/**
 * Where the first query of a call runs. Anonymous reads may use a replica that lags. A request with any credential (session,
 * contributor token, invitation) uses the primary, so that revocations apply at once and senders see their own writes.
 */
export function firstReadFor(request: Request): FirstRead {
  const { pathname, searchParams } = new URL(request.url)
  const isPublicRead = READ_METHODS.has(request.method) && PUBLIC_READS.test(pathname)
  const hasCredential =
    searchParams.has('invite') ||
    CREDENTIAL_HEADERS.some((name) => request.headers.has(name)) ||
    Object.keys(readCookies(request)).some((name) => CREDENTIAL_COOKIE.test(name))
  return isPublicRead && !hasCredential ? 'first-unconstrained' : 'first-primary'
}
