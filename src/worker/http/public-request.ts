import { pageParameters, paths, screenAt } from '#shared/pages.ts'
import { carriesSession } from '#worker/http/cookies.ts'
import { prefersDataSaver } from '#worker/http/data-saver.ts'

/** Query parameters of a public memorial page, in the order of the cache key. */
const PARAMETERS = Object.values(pageParameters)
/** Parameter for the data saver page. Only the gateway sets it. */
export const LITE = 'lite'
/** Parameter for the app instead of the landing page, for browsers with a session. Only the gateway sets it. */
export const APP = 'app'
const PUBLIC_MEMORIAL = /^\/m\//u
/** A cursor or an id. Other values are dropped, so that they don't add cache keys. */
const CURSOR_OR_ID = /^[\w.]{1,64}$/u

/**
 * The request as an anonymous visitor would send it, without cookies and headers. Of the URL it keeps only what changes
 * the page: tokens and unknown parameters would become part of the cache key and store a page many times.
 */
export function toPublicRequest(request: Request): Request {
  const address = toPublicAddress(new URL(request.url))
  const isHome = address.pathname === paths.home
  if (isHome && carriesSession(request)) address.searchParams.set(APP, '1')
  else if ((isHome || PUBLIC_MEMORIAL.test(address.pathname)) && prefersDataSaver(request))
    address.searchParams.set(LITE, '1')
  return new Request(address, { method: request.method === 'HEAD' ? 'HEAD' : 'GET' })
}

function toPublicAddress(url: URL): URL {
  const address = new URL(url.origin)
  // Assigned, not resolved: a path that starts with `//` must not become another host.
  address.pathname = screenAt(url.pathname)
  for (const name of PARAMETERS) {
    const value = url.searchParams.get(name)
    if (value !== null && CURSOR_OR_ID.test(value)) address.searchParams.set(name, value)
  }
  return address
}
