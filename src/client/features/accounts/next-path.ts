import { links } from '#client/lib/links.ts'

/** Stands for our own origin where an address is taken apart; the result never holds it. */
const HERE = 'https://here.invalid'

/**
 * Where to go after signing in: the `next` of the address if it is a path of ours, else the dashboard. A browser reads
 * `//host`, `/\host` and `/<tab>/host` as another site (OWASP Unvalidated Redirects), so the address is parsed as one
 * would, and what comes out is what was checked.
 */
export function nextPath(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? ''
  if (!next.startsWith('/') || !URL.canParse(next, HERE)) return links.dashboard
  const { origin, pathname, search: query, hash } = new URL(next, HERE)
  // A second slash would begin a host wherever this path is read as an address once more.
  return origin === HERE && !pathname.startsWith('//') ? pathname + query + hash : links.dashboard
}
