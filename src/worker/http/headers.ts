import { hasCardForm, mayRecord } from '#shared/pages.ts'
import type { Env } from '#worker/platform/env.ts'
import { sandboxProblem } from '#worker/platform/provider-origins.ts'

const HSTS = 'max-age=31536000; includeSubDomains'
const PERMISSIONS = 'camera=(), geolocation=(self), payment=(self), usb=(), interest-cohort=()'

/** Pages and calls whose address holds a token: nothing of it may travel on in a Referer. */
const TOKEN_PATHS = /^\/(?:api\/(?:auth\/)?)?(?:invite|verify-email|reset-password|memorial)\//u

/**
 * Puts the headers that every answer has onto one, unless it set its own: nosniff, HSTS, Referrer-Policy,
 * Permissions-Policy, a CSP for pages, and `private, no-store` where nothing else was decided.
 */
export function withSecurityHeaders(response: Response, request: Request, env: Env): Response {
  const url = new URL(request.url)
  const answer = new Response(response.body, response)
  const headers = answer.headers
  const setDefault = (name: string, value: string) => {
    if (!headers.has(name)) headers.set(name, value)
  }
  setDefault('Cache-Control', 'private, no-store')
  setDefault('X-Content-Type-Options', 'nosniff')
  setDefault('Referrer-Policy', refererPolicy(url))
  setDefault('Cross-Origin-Opener-Policy', 'same-origin')
  setDefault('Cross-Origin-Resource-Policy', 'same-origin')
  setDefault('X-Robots-Tag', 'noindex')
  if (url.protocol === 'https:') setDefault('Strict-Transport-Security', HSTS)
  const isPage = (headers.get('Content-Type') ?? '').startsWith('text/html')
  const microphone = isPage && mayRecord(url.pathname) ? '(self)' : '()'
  setDefault('Permissions-Policy', `${PERMISSIONS}, microphone=${microphone}`)
  setDefault(
    'Content-Security-Policy',
    isPage ? pageCsp(url, env) : "default-src 'none'; frame-ancestors 'none'; sandbox",
  )
  return answer
}

/** `no-referrer` where the address holds a token. */
export function refererPolicy(url: URL): string {
  return TOKEN_PATHS.test(url.pathname) || url.searchParams.has('invite')
    ? 'no-referrer'
    : 'strict-origin-when-cross-origin'
}

/**
 * The policy of the page at this address; `styleHashes` (SHA-256, base64) are those of styles that stand in the page itself.
 * Stripe's hosts, and no sandbox's in their place, are allowed only where somebody pays: https://docs.stripe.com/security/guide#content-security-policy
 */
export function pageCsp(url: URL, env: Env, styleHashes: string[] = []): string {
  const pays = hasCardForm(url.pathname) && sandboxProblem(env, 'payments') === null
  const stripeJs = new URL(env.STRIPE_JS_URL).origin
  const stripeApi = new URL(env.STRIPE_API_URL).origin
  const stripeFrames =
    stripeJs === 'https://js.stripe.com'
      ? 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com'
      : stripeJs
  return [
    "default-src 'self'",
    `script-src 'self'${pays ? ` ${stripeJs === 'https://js.stripe.com' ? 'https://js.stripe.com https://*.js.stripe.com' : stripeJs}` : ''}`,
    `frame-src ${pays ? stripeFrames : "'none'"}`,
    `connect-src 'self'${pays ? ` ${stripeApi}${stripeJs === stripeApi ? '' : ` ${stripeJs}`}` : ''}`,
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    `style-src ${["'self'", ...styleHashes.map((hash) => `'sha256-${hash}'`)].join(' ')}`,
    "font-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    // Text becomes HTML in src/client/lib/inert-html.ts and in the editor's paste, both in documents where nothing runs;
    // `service-worker` names one script of ours (src/client/lib/offline/service-worker.ts).
    // Stripe's script has sinks of its own and no policy for them.
    ...(pays
      ? []
      : [
          "require-trusted-types-for 'script'",
          'trusted-types inert-html ProseMirrorClipboard service-worker',
        ]),
  ].join('; ')
}
