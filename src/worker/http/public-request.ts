import { screenAt } from '#shared/pages.ts'
import { refererPolicy } from '#worker/http/headers.ts'

/** Headers that may pass to the cached entrypoint. None changes what a page says: headers are not in the cache's key. */
const PASSED = ['If-None-Match']
/** What an address may ask of a public memorial's page, in the order in which the cache's key has them. */
const PARAMETERS = ['photo', 'photos', 'messages']
/** A cursor or an id. Other text asks for nothing, and is not kept in a cache under an address of its own. */
const PLACE = /^[\w.]{1,64}$/u

/**
 * The request as an anonymous visitor would make it: no cookie, no authorisation, no header that says who is asking. Of the
 * address only what decides what the page says: tokens, ids and unknown parameters would be kept as keys of the cache, and
 * make a page many.
 */
export function toPublicRequest(request: Request): Request {
  const headers = new Headers()
  for (const name of PASSED) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  return new Request(toPublicAddress(new URL(request.url)), {
    method: request.method === 'HEAD' ? 'HEAD' : 'GET',
    headers,
  })
}

function toPublicAddress(asked: URL): URL {
  const address = new URL(screenAt(asked.pathname), asked)
  for (const name of PARAMETERS) {
    const value = asked.searchParams.get(name)
    if (value !== null && PLACE.test(value)) address.searchParams.set(name, value)
  }
  return address
}

/** The page on its way out, with the policy that the address as it was asked needs: it may hold an invitation. */
export function withOwnPolicy(page: Response, request: Request): Response {
  const answer = new Response(page.body, page)
  answer.headers.set('Referrer-Policy', refererPolicy(new URL(request.url)))
  return answer
}
