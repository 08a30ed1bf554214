import { NO_SESSION } from '#shared/pages.ts'
import { carriesSession } from '#worker/http/cookies.ts'

/**
 * Tells a page on its way out that its browser carries no session, so that it need not ask who is signed in and be
 * refused. A header that scripts can read in the timing of their own document: https://www.w3.org/TR/server-timing/
 */
export function withSessionMark(page: Response, request: Request): Response {
  if (carriesSession(request)) return page
  const marked = new Response(page.body, page)
  marked.headers.append('Server-Timing', NO_SESSION)
  return marked
}
