import { links } from '#client/lib/links.ts'

/** Placeholder for our own origin when parsing; the result never contains it. */
const OWN_ORIGIN = 'https://here.invalid'

/**
 * Where to go after signing in: `next` from the URL if it is a path on this site, otherwise the dashboard. Browsers read
 * `//host`, `/\host` and `/<tab>/host` as another site (OWASP Unvalidated Redirects), so this parses the value as a browser
 * does and returns the parsed result.
 */
export function nextPath(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? ''
  if (!next.startsWith('/') || !URL.canParse(next, OWN_ORIGIN)) return links.dashboard
  const { origin, pathname, search: query, hash } = new URL(next, OWN_ORIGIN)
  // A second slash would start a host if this path is parsed as a URL again.
  return origin === OWN_ORIGIN && !pathname.startsWith('//') ? pathname + query + hash : links.dashboard
}
