import { refererPolicy } from '#worker/http/headers.ts'
import { withSessionMark } from '#worker/http/session-mark.ts'

/**
 * A page of the cached entrypoint on its way to the one who asked: with the policy that the address as it was asked needs
 * (it may hold an invitation), with the mark of a browser without a session, and 304 where the browser has it already.
 */
export function toOwnPage(page: Response, request: Request): Response {
  const answer = new Response(page.body, page)
  answer.headers.set('Referrer-Policy', refererPolicy(new URL(request.url)))
  // What is sent depends on both; a cache of somebody between us must not mix them up.
  answer.headers.append('Vary', 'Save-Data, Cookie')
  return withSessionMark(isKnown(answer, request) ? notModified(answer) : answer, request)
}

/** RFC 9110, 13.1.2: weak comparison. */
function isKnown(page: Response, request: Request): boolean {
  const etag = page.headers.get('ETag')
  if (etag === null || !page.ok) return false
  const known = request.headers.get('If-None-Match')?.split(',') ?? []
  return known.some((one) => one.trim() === etag)
}

function notModified(page: Response): Response {
  const headers = new Headers(page.headers)
  headers.delete('Content-Length')
  return new Response(null, { status: 304, headers })
}
