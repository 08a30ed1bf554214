import type { ErrorBody } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { Env } from '#worker/platform/env.ts'
import { withSecurityHeaders } from '#worker/http/headers.ts'
import { createLog } from '#worker/platform/log.ts'
import { isLoopback } from '#worker/platform/provider-origins.ts'
import { newRequestId } from '#worker/platform/random.ts'

/**
 * Redirects plain http to https, or returns null: before a browser has seen the HSTS header, passwords and cookies must
 * not be sent unencrypted. Local development has no https.
 */
export function toHttps(request: Request, env: Env): Response | null {
  const url = new URL(request.url)
  if (url.protocol !== 'http:' || !env.PUBLIC_ORIGIN.startsWith('https:') || isLoopback(url.hostname))
    return null
  url.protocol = 'https:'
  const answer = new Response(null, { status: 308, headers: { Location: url.href } })
  return withSecurityHeaders(answer, request, env)
}

/** 405 for any method but GET and HEAD, else null. */
export function refusePageMethod(request: Request, env: Env): Response | null {
  if (request.method === 'GET' || request.method === 'HEAD') return null
  const body: ErrorBody = { message: messages.system.methodNotAllowed, code: 'method_not_allowed' }
  const answer = Response.json(body, { status: 405, headers: { Allow: 'GET, HEAD' } })
  return withSecurityHeaders(answer, request, env)
}

/** The plain-text error page for when the app's document itself can't be loaded, with a request id for support. */
export function toFailedPage(error: unknown, request: Request, env: Env): Response {
  const requestId = newRequestId()
  createLog(requestId).error('page_failed', error)
  const answer = new Response(`${messages.system.pageFailed}\n\n${requestId}\n`, {
    status: 500,
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  })
  return withSecurityHeaders(answer, request, env)
}
