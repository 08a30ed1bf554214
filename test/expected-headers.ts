/**
 * The kind of response; each has its own policy. `page` is an HTML document of the app, `card` a link preview image,
 * `script` the service worker.
 */
export type Kind = 'page' | 'call' | 'media' | 'text' | 'asset' | 'card' | 'script'

const CALL_CSP = "default-src 'none'; frame-ancestors 'none'; sandbox"
const CSP: Record<Exclude<Kind, 'page'>, string[]> = {
  call: [CALL_CSP, "sandbox; default-src 'none'"],
  media: ["sandbox; default-src 'none'"],
  text: [CALL_CSP],
  card: [CALL_CSP],
  asset: ["default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"],
  script: ["default-src 'none'; connect-src 'self'; frame-ancestors 'none'"],
}
/** Directives of every document, whatever else its policy allows. */
const PAGE_DIRECTIVES = [
  "default-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
]
/** The app's own files, and inline content by its hash. */
const STYLE = /^style-src 'self'(?: 'sha256-[\w+/]{43}=')*$/u
const PERMISSIONS = ['camera=()', 'usb=()']
/** Only the app's own documents may use the microphone. */
const MICROPHONE: Record<'page' | 'other', RegExp> = {
  page: /microphone=\((?:self)?\)/u,
  other: /microphone=\(\)/u,
}
const REFERRER = new Set(['strict-origin-when-cross-origin', 'no-referrer'])
const NOT_CACHED = 'private, no-store'
const PUBLIC = /^public, max-age=\d+(?:, (?:must-revalidate|immutable))?$/u
const HSTS = /^max-age=(\d+); includeSubDomains$/u

/** Problems in the headers of a response, one line each. `secure`: it came over https, as in production. */
export function headerProblems(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  kind: Kind,
  secure = false,
): string[] {
  const problems: string[] = []
  const check = (name: string, isRight: (value: string) => boolean) => {
    const value = headers.get(name)
    if (value === null || !isRight(value)) problems.push(`${status} ${name}: ${value}`)
  }
  check('X-Content-Type-Options', (value) => value === 'nosniff')
  check('Cross-Origin-Opener-Policy', (value) => value === 'same-origin')
  check(
    'Cross-Origin-Resource-Policy',
    (value) => value === (kind === 'card' ? 'cross-origin' : 'same-origin'),
  )
  check('Referrer-Policy', (value) => REFERRER.has(value))
  check('Permissions-Policy', (value) => PERMISSIONS.every((denied) => value.includes(denied)))
  check('Permissions-Policy', (value) => MICROPHONE[kind === 'page' ? 'page' : 'other'].test(value))
  check('X-Robots-Tag', (value) => value === 'noindex' || (kind === 'page' && value === 'all'))
  check('Content-Security-Policy', (value) =>
    kind === 'page' ? isPageCsp(value) : CSP[kind].includes(value),
  )
  // An unknown page is the app, which may be cached publicly; every other refusal concerns one request.
  const mayBeCached = kind === 'page' ? status < 500 : status < 400
  check(
    'Cache-Control',
    (value) =>
      value === NOT_CACHED ||
      (kind === 'script' && value === 'no-cache') ||
      (mayBeCached && PUBLIC.test(value)) ||
      // The map of a grave: browsers must revalidate it each time, because the owner can hide it (docs/decisions/0006).
      (status < 400 && value === 'private, no-cache' && headers.has('ETag')),
  )
  if (headers.has('Set-Cookie')) check('Cache-Control', (value) => value === NOT_CACHED)
  if (secure) {
    check('Strict-Transport-Security', (value) => Number(HSTS.exec(value)?.[1]) >= 31_536_000)
  }
  for (const name of headers.keys()) {
    if (/^(?:access-control-|x-powered-by$)/u.test(name)) problems.push(`${status} ${name} must not be sent`)
  }
  return problems
}

/** No inline script, no eval, no wildcard host. */
function isPageCsp(value: string): boolean {
  const directives = value.split('; ')
  const script = directives.find((directive) => directive.startsWith('script-src ')) ?? '*'
  const style = directives.find((directive) => directive.startsWith('style-src ')) ?? '*'
  return (
    PAGE_DIRECTIVES.every((directive) => directives.includes(directive)) &&
    script.startsWith("script-src 'self'") &&
    STYLE.test(style) &&
    !/unsafe-|nonce-|\s\*(?:\s|$)|https?:(?:\s|$)|data:/u.test(script)
  )
}
