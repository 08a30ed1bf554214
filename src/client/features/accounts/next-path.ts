import { links } from '#client/lib/links.ts'

/**
 * Where to go after signing in: the `next` of the address if it is a path of ours, else the dashboard. `//host` and `/\host`
 * would leave the site, control characters could hide it (OWASP Unvalidated Redirects).
 */
export function nextPath(search: string): string {
  const next = new URLSearchParams(search).get('next')
  // eslint-disable-next-line no-control-regex -- refusing control characters is the purpose
  return next && /^\/(?![/\\])[^\u0000-\u001f\\]*$/u.test(next) ? next : links.dashboard
}
