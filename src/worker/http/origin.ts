import { AppError } from '#shared/errors.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * OWASP CSRF: `Origin` must be this product's; without one, `Sec-Fetch-Site` must be same-origin or none. Clients other than
 * browsers send neither and pass unless they send a cookie, which a forged request needs. `Origin: null` comes with a form of
 * a page that sends no referrer, because its address holds a token, and from sandboxed frames: only same-origin passes.
 */
export function requireSameOrigin(request: Request, publicOrigin: string): void {
  if (SAFE_METHODS.has(request.method)) return
  const origin = request.headers.get('Origin')
  const site = request.headers.get('Sec-Fetch-Site')
  if (origin === 'null') {
    if (site === 'same-origin') return
  } else if (origin !== null) {
    if (origin === publicOrigin || origin === new URL(request.url).origin) return
  } else if (site !== null) {
    if (site === 'same-origin' || site === 'none') return
  } else if (!request.headers.has('Cookie')) {
    return
  }
  throw new AppError('cross_site', serverMessages.system.crossSite)
}
