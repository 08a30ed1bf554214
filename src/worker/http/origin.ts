import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses writes that another website makes a visitor's browser send (OWASP CSRF: verify the origin by standard headers).
 * `Origin` must be ours; without one, `Sec-Fetch-Site` must be same-origin or none. A client that is no browser sends
 * neither and is let through unless it carries a cookie, which is what a forged request lives on.
 */
export function requireSameOrigin(request: Request, publicOrigin: string): void {
  if (SAFE_METHODS.has(request.method)) return
  const origin = request.headers.get('Origin')
  const site = request.headers.get('Sec-Fetch-Site')
  if (origin !== null) {
    if (origin === publicOrigin || origin === new URL(request.url).origin) return
  } else if (site !== null) {
    if (site === 'same-origin' || site === 'none') return
  } else if (!request.headers.has('Cookie')) {
    return
  }
  throw new AppError('cross_site', messages.system.crossSite)
}
