import { DAY_MS, SECURITY_TXT_EXPIRES_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Env } from '#worker/platform/env.ts'
import { withSecurityHeaders } from '#worker/http/headers.ts'

const SECURITY_TXT = '/.well-known/security.txt'
const POLICY = '/.well-known/security-policy.txt'

/** Search engines render memorials with this call, so it stays allowed. `X-Robots-Tag` decides what is listed. */
const ROBOTS =
  'User-agent: *\nDisallow: /api/\nDisallow: /media/\nAllow: /api/memorial/\nAllow: /api/config\n\nSitemap: '

/** Serves `robots.txt` (RFC 9309), `security.txt` (RFC 9116) and its policy; null for any other path. */
export function findWellKnown(request: Request, env: Env, now: number): Response | null {
  const { pathname } = new URL(request.url)
  const text = textOf(pathname, env, now)
  if (text === null) return null
  const answer = new Response(text, {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=86400' },
  })
  return withSecurityHeaders(answer, request, env)
}

function textOf(pathname: string, env: Env, now: number): string | null {
  if (pathname === '/robots.txt') return `${ROBOTS}${env.PUBLIC_ORIGIN}/sitemap.xml\n`
  if (pathname === SECURITY_TXT) return securityTxt(env, now)
  if (pathname === POLICY) return `${messages.security.policy}\n`
  return null
}

/** RFC 9116. Generated per request, so `Expires` is always in the future. */
function securityTxt({ PUBLIC_ORIGIN, SUPPORT_EMAIL }: Env, now: number): string {
  const midnight = Math.floor((now + SECURITY_TXT_EXPIRES_MS) / DAY_MS) * DAY_MS
  const fields = [
    ['Contact', `mailto:${SUPPORT_EMAIL}`],
    ['Expires', new Date(midnight).toISOString()],
    ['Preferred-Languages', 'en'],
    ['Canonical', `${PUBLIC_ORIGIN}${SECURITY_TXT}`],
    ['Policy', `${PUBLIC_ORIGIN}${POLICY}`],
  ]
  return fields.map((field) => `${field.join(': ')}\n`).join('')
}
