import { NO_SESSION } from '#shared/pages.ts'
import { carriesSession } from '#worker/http/cookies.ts'
import { refererPolicy } from '#worker/http/headers.ts'

/**
 * Adapts a page of the cached entrypoint to this request: sets the Referrer-Policy for the requested URL (which may contain
 * an invitation), marks browsers without a session, and answers 304 if the browser has the page already.
 */
export function adaptPage(page: Response, request: Request): Response {
  const answer = new Response(page.body, page)
  answer.headers.set('Referrer-Policy', refererPolicy(new URL(request.url)))
  // The response depends on both, so caches on the way must not mix them up.
  answer.headers.append('Vary', 'Save-Data, Cookie')
  return withSessionMark(isKnown(answer, request) ? notModified(answer) : answer, request)
}

/**
 * Marks a page for a browser without a session, so that its script doesn't call the API to find that out. Scripts can read
 * this header in the timing of their own document: https://www.w3.org/TR/server-timing/
 */
function withSessionMark(page: Response, request: Request): Response {
  if (carriesSession(request)) return page
  const marked = new Response(page.body, page)
  marked.headers.append('Server-Timing', NO_SESSION)
  return marked
}

/** Weak comparison (RFC 9110, 13.1.2). */
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
