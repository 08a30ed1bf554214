import { serialize } from 'hono/utils/cookie'
import { DATA_SAVER, DATA_SAVER_PATH } from '#shared/pages.ts'
import type { Env } from '#worker/platform/env.ts'
import { toErrorResponse } from '#worker/http/errors.ts'
import { withSecurityHeaders } from '#worker/http/headers.ts'
import { requireSameOrigin } from '#worker/http/origin.ts'
import { readCookies } from '#worker/http/cookies.ts'
import { createLog } from '#worker/platform/log.ts'
import { newRequestId } from '#worker/platform/random.ts'

const YEAR_SEC = 365 * 24 * 60 * 60
/** Pages that offer the choice. A request from any other page is redirected to the landing page. */
const MEMORIAL = /^\/m\/[a-z0-9-]+$/u

/**
 * Stores a visitor's data saver choice in a cookie and redirects back to the memorial; null for any other path. A form
 * sends it, so that it works without a script; scripts read the cookie.
 */
export function persistDataSaver(request: Request, env: Env): Response | null {
  const url = new URL(request.url)
  if (url.pathname !== DATA_SAVER_PATH || request.method !== 'POST') return null
  try {
    requireSameOrigin(request, env.PUBLIC_ORIGIN)
  } catch (error) {
    const requestId = newRequestId()
    return withSecurityHeaders(toErrorResponse(error, requestId, createLog(requestId)), request, env)
  }
  const to = url.searchParams.get('to') ?? ''
  const answer = new Response(null, { status: 303, headers: { Location: MEMORIAL.test(to) ? to : '/' } })
  const choice = url.searchParams.get('less') === '1' ? '1' : '0'
  const secure = url.protocol === 'https:'
  const cookie = serialize(DATA_SAVER, choice, { path: '/', sameSite: 'Lax', maxAge: YEAR_SEC, secure })
  answer.headers.append('Set-Cookie', cookie)
  return withSecurityHeaders(answer, request, env)
}

/** The visitor's choice here, else the browser's setting (https://wicg.github.io/savedata/). */
export function prefersDataSaver(request: Request): boolean {
  const chosen = readCookies(request)[DATA_SAVER]
  return chosen === undefined ? request.headers.get('Save-Data')?.toLowerCase() === 'on' : chosen === '1'
}
