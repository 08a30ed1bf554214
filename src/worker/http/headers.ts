import { hasCardForm, allowsMicrophone } from '#shared/pages/pages.ts'
import { WORDS_KEY } from '#shared/pages/plain-forms.ts'
import type { Env } from '#worker/platform/env.ts'
import { sandboxProblem } from '#worker/platform/providers/provider-origins.ts'

const HSTS = 'max-age=31536000; includeSubDomains'
const PERMISSIONS = 'camera=(), geolocation=(self), payment=(self), usb=(), interest-cohort=()'

/** Pages and calls whose URL contains a token, which must not leak in a Referer. */
const TOKEN_PATHS =
  /^\/(?:api\/(?:auth\/)?|media\/)?(?:invite|let-in|keep|keeper-invites|verify-email|reset-password|confirm-email|undo-email|unsubscribe|still-here|follow|unfollow|memorial|pay|redeem|gifts?|reply|replies)\//u

const NEVER = 'private, no-store'
/** Headers of a page that depends on who asks: neither the edge nor the browser may keep it. */
export const NEVER_CACHED = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': NEVER,
  'Cloudflare-CDN-Cache-Control': NEVER,
}

/** Adds the common headers that the response doesn't set itself. */
export function withSecurityHeaders(response: Response, request: Request, env: Env): Response {
  const url = new URL(request.url)
  const answer = new Response(response.body, response)
  const headers = answer.headers
  const setDefault = (name: string, value: string) => {
    if (!headers.has(name)) headers.set(name, value)
  }
  setDefault('Cache-Control', NEVER)
  setDefault('X-Content-Type-Options', 'nosniff')
  setDefault('Referrer-Policy', refererPolicy(url))
  setDefault('Cross-Origin-Opener-Policy', 'same-origin')
  setDefault('Cross-Origin-Resource-Policy', 'same-origin')
  setDefault('X-Robots-Tag', 'noindex')
  if (url.protocol === 'https:') setDefault('Strict-Transport-Security', HSTS)
  const isPage = (headers.get('Content-Type') ?? '').startsWith('text/html')
  const microphone = isPage && allowsMicrophone(url.pathname) ? '(self)' : '()'
  setDefault('Permissions-Policy', `${PERMISSIONS}, microphone=${microphone}`)
  setDefault(
    'Content-Security-Policy',
    isPage ? pageCsp(url, env) : "default-src 'none'; frame-ancestors 'none'; sandbox",
  )
  return answer
}

/** `no-referrer` where the URL contains a token. */
export function refererPolicy(url: URL): string {
  return TOKEN_PATHS.test(url.pathname) || url.searchParams.has('invite') || url.searchParams.has(WORDS_KEY)
    ? 'no-referrer'
    : 'strict-origin-when-cross-origin'
}

/**
 * The Content-Security-Policy of the page at this URL; `styleHashes` (SHA-256, base64) are of its inline styles. Allows
 * Stripe's hosts only on pages with a card form: https://docs.stripe.com/security/guide#content-security-policy
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
    // Each name once: `inert-html` and `service-worker` are ours (client/lib/trusted-types.ts), the other is of the editor's clipboard.
    // Not on payment pages: Stripe's script uses sinks without a trusted types policy.
    ...(pays
      ? []
      : [
          "require-trusted-types-for 'script'",
          'trusted-types inert-html ProseMirrorClipboard service-worker',
        ]),
  ].join('; ')
}
