import { pageParameters, paths, screenAt } from '#shared/pages.ts'
import { carriesSession } from '#worker/http/cookies.ts'
import { prefersDataSaver } from '#worker/http/data-saver.ts'

/** What an address may ask of a public memorial's page, in the order in which the cache's key has them. */
const PARAMETERS = Object.values(pageParameters)
/** Set here alone: this visitor wants to use less data. */
export const LITE = 'lite'
/** Set here alone: not the landing page but the app, for a browser with a session. */
export const APP = 'app'
const PUBLIC_MEMORIAL = /^\/m\//u
/** A cursor or an id. Other text asks for nothing, and is not kept in a cache under an address of its own. */
const PLACE = /^[\w.]{1,64}$/u

/**
 * The request as an anonymous visitor would make it: no cookie, no authorisation, no header that says who is asking. Of the
 * address only what decides what the page says: tokens, ids and unknown parameters would be kept as keys of the cache, and
 * make a page many.
 */
export function toPublicRequest(request: Request): Request {
  const address = toPublicAddress(new URL(request.url))
  const isHome = address.pathname === paths.home
  if (isHome && carriesSession(request)) address.searchParams.set(APP, '1')
  else if ((isHome || PUBLIC_MEMORIAL.test(address.pathname)) && prefersDataSaver(request))
    address.searchParams.set(LITE, '1')
  return new Request(address, { method: request.method === 'HEAD' ? 'HEAD' : 'GET' })
}

function toPublicAddress(asked: URL): URL {
  const address = new URL(asked.origin)
  // Set, not resolved: what begins with `//` is a path of ours and not the address of another host.
  address.pathname = screenAt(asked.pathname)
  for (const name of PARAMETERS) {
    const value = asked.searchParams.get(name)
    if (value !== null && PLACE.test(value)) address.searchParams.set(name, value)
  }
  return address
}
