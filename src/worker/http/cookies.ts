import { parse, serialize } from 'hono/utils/cookie'

/** `__Host-` binds a cookie to https and this host. On localhost over plain http, the name has no prefix. */
function cookieName(name: string, secure: boolean): string {
  return secure ? `__Host-${name}` : name
}

function isSecure(request: Request): boolean {
  return new URL(request.url).protocol === 'https:'
}

export function readCookies(request: Request): Record<string, string> {
  return parse(request.headers.get('Cookie') ?? '')
}

/** The value of this product's cookie `name`, or null. */
export function readOwnCookie(
  request: Request,
  cookies: Record<string, string>,
  name: string,
): string | null {
  return cookies[cookieName(name, isSecure(request))] ?? null
}

export const SESSION_COOKIE = 'session'

/** True when the request has a session cookie, valid or not. */
export function carriesSession(request: Request): boolean {
  return readOwnCookie(request, readCookies(request), SESSION_COOKIE) !== null
}

/** Adds a `Set-Cookie`: HttpOnly, SameSite=Lax, Path=/, and Secure over https. `maxAgeSec` 0 deletes the cookie. */
export function setOwnCookie(
  headers: Headers,
  request: Request,
  name: string,
  value: string,
  maxAgeSec: number,
): void {
  const secure = isSecure(request)
  headers.append(
    'Set-Cookie',
    serialize(cookieName(name, secure), value, {
      // prove: cookie-http-only
      httpOnly: true,
      // prove: cookie-same-site
      sameSite: 'Lax',
      path: '/',
      secure,
      maxAge: maxAgeSec,
    }),
  )
}

/** The `Cookie` header of a browser that has received these `Set-Cookie` headers, or null without any cookie. */
export function addCookies(cookie: string | null, received: readonly string[]): string | null {
  const pairOf = (header: string) => (header.split(';')[0] ?? '').trim()
  const nameOf = (pair: string) => pair.split('=')[0] ?? ''
  const pairs = [...(cookie ?? '').split(';').map((pair) => pair.trim()), ...received.map(pairOf)]
  const byName = new Map(pairs.filter(Boolean).map((pair) => [nameOf(pair), pair]))
  return byName.size === 0 ? null : [...byName.values()].join('; ')
}
