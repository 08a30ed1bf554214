import { PRINT } from '#shared/funeral/gatherings-sheet.ts'
import type { ErrorBody } from '#shared/errors.ts'
import type { Env } from '#worker/platform/env.ts'
import { withSecurityHeaders, refererPolicy } from '#worker/http/headers.ts'
import { createLog } from '#worker/platform/log.ts'
import { isLoopback } from '#worker/platform/providers/provider-origins.ts'
import { newRequestId } from '#worker/platform/random.ts'
import {
  HAS_SESSION,
  NO_SESSION,
  pageParameters,
  paths,
  screenAt,
  DATA_SAVER,
  DATA_SAVER_PATH,
} from '#shared/pages/pages.ts'
import { writtenScreenAt } from '#shared/pages/written-screens.ts'
import { carriesSession, readCookies } from '#worker/http/cookies.ts'
import { serialize } from 'hono/utils/cookie'
import { toErrorResponse } from '#worker/http/errors.ts'
import { requireSameOrigin } from '#worker/http/origin.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Query parameters of a public memorial page, in the order of the cache key. */
const PARAMETERS = [...Object.values(pageParameters), PRINT]
/** Parameter for the data saver page. Only the gateway sets it. */
export const LITE = 'lite'
/** Parameter for the app instead of a page for visitors, for browsers with a session. Only the gateway sets it. */
export const APP = 'app'
const PUBLIC_MEMORIAL = /^\/m\//u
/** A cursor or an id. Other values are dropped, so that they don't add cache keys. */
const CURSOR_OR_ID = /^[\w.]{1,64}$/u

/** Without cookies and headers, and with only what changes the page: the rest would split the cache. */
export function toPublicRequest(request: Request): Request {
  const address = toPublicAddress(new URL(request.url))
  const isForVisitors = address.pathname === paths.home || writtenScreenAt(address.pathname) !== null
  if (isForVisitors && carriesSession(request)) address.searchParams.set(APP, '1')
  else if ((isForVisitors || PUBLIC_MEMORIAL.test(address.pathname)) && prefersDataSaver(request))
    address.searchParams.set(LITE, '1')
  return new Request(address, { method: request.method === 'HEAD' ? 'HEAD' : 'GET' })
}

const INVITATION = /^\/invite\/([^/]+)\/?$/u
const BY_ID = /^\/memorial\/([^/]+)\/?$/u

/** An invitation in the URL of a page. `memorialId`: the memorial that it has to open, or null for any. */
export type PageInvitation = { token: string; memorialId: string | null }

/** The invitation in a page's URL: `/invite/{token}` or `/memorial/{id}?invite={token}`; null without one. */
export function invitationIn(url: URL): PageInvitation | null {
  const token = INVITATION.exec(url.pathname)?.[1]
  if (token !== undefined) return { token, memorialId: null }
  const memorialId = BY_ID.exec(url.pathname)?.[1]
  const invite = url.searchParams.get('invite')
  return memorialId !== undefined && invite ? { token: invite, memorialId } : null
}

function toPublicAddress(url: URL): URL {
  const address = new URL(url.origin)
  // Assigned, not resolved: a path that starts with `//` must not become another host.
  address.pathname = invitationIn(url) ? paths.invite : screenAt(url.pathname)
  for (const name of PARAMETERS) {
    const value = url.searchParams.get(name)
    if (value !== null && CURSOR_OR_ID.test(value)) address.searchParams.set(name, value)
  }
  return address
}

/** Redirects http to https, or null: before a browser has seen HSTS, nothing secret may be sent unencrypted. */
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
  const body: ErrorBody = { message: serverMessages.system.methodNotAllowed, code: 'method_not_allowed' }
  const answer = Response.json(body, { status: 405, headers: { Allow: 'GET, HEAD' } })
  return withSecurityHeaders(answer, request, env)
}

/** The plain-text error page for when the app's document itself can't be loaded, with a request id for support. */
export function toFailedPage(error: unknown, request: Request, env: Env): Response {
  const requestId = newRequestId()
  createLog(requestId).error('page_failed', error)
  const answer = new Response(`${serverMessages.system.pageFailed}\n\n${requestId}\n`, {
    status: 500,
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  })
  return withSecurityHeaders(answer, request, env)
}

/** Referrer-Policy for this URL (maybe an invitation), session mark, and 304 if the browser has the page. */
export function adaptPage(page: Response, request: Request): Response {
  const answer = new Response(page.body, page)
  answer.headers.set('Referrer-Policy', refererPolicy(new URL(request.url)))
  // The response depends on both, so caches on the way must not mix them up.
  answer.headers.append('Vary', 'Save-Data, Cookie')
  return withSessionMark(isKnown(answer, request) ? notModified(answer) : answer, request)
}

/**
 * Tells scripts whether there is a session, in their document's timing: https://www.w3.org/TR/server-timing/. It says so in
 * both cases: a 304 updates only the headers that it has (RFC 9111, 3.2), so the browser would keep `no-session`.
 */
function withSessionMark(page: Response, request: Request): Response {
  const marked = new Response(page.body, page)
  marked.headers.set('Server-Timing', carriesSession(request) ? HAS_SESSION : NO_SESSION)
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

const YEAR_SEC = 365 * 24 * 60 * 60
/** Pages that offer the choice. A request from any other page is redirected to the landing page. */
const MEMORIAL = /^\/m\/[a-z0-9-]+$/u

/** Stores the data saver choice of a form, which works without a script, and redirects back; else null. */
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
