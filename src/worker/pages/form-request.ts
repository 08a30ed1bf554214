import type { Endpoint } from '#shared/endpoint.ts'
import { AppError, type ErrorBody } from '#shared/errors.ts'
import { fillPath } from '#shared/fill-path.ts'
import { messages } from '#shared/messages.ts'
import type { PostedForm } from '#client/public-page/render-screen.tsx'
import { findSessionUser } from '#worker/access/sessions.ts'
import { handleApi } from '#worker/api.ts'
import { carriesSession, readCookies } from '#worker/http/cookies.ts'
import { toErrorResponse } from '#worker/http/errors.ts'
import { withSecurityHeaders } from '#worker/http/headers.ts'
import { readBytes } from '#worker/http/json-body.ts'
import { requireSameOrigin } from '#worker/http/origin.ts'
import { adaptPage } from '#worker/http/page-request.ts'
import { createCtx, type Ctx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { createLog } from '#worker/platform/log.ts'
import { newRequestId } from '#worker/platform/random.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** A form that a browser sends without script. */
export type FormRequest = { request: Request; env: Env; execution: ExecutionContext }

export function ctxOf({ env, execution }: Pick<FormRequest, 'env' | 'execution'>): Ctx {
  return createCtx({ env, waitUntil: (promise) => execution.waitUntil(promise) })
}

/** True for whoever is signed in: they get the app's document, which shows it, and not a page that is the same for all. */
export async function isSignedIn(form: FormRequest): Promise<boolean> {
  const { request } = form
  if (!carriesSession(request)) return false
  return (await findSessionUser(ctxOf(form), request, readCookies(request), new Headers())) !== null
}

/** A page of a memorial, with the invitation by which it may be opened. */
export type MemorialPage = { id: string; invite: string | null }

/** The memorial whose page of this name (`/memorial/:id/again`) a request is for; null for any other. */
export function memorialPageAt(request: Request, name: 'again' | 'follow' | 'replies'): MemorialPage | null {
  const { pathname, searchParams } = new URL(request.url)
  const [, id, page] = /^\/memorial\/(mem_[a-z0-9]+)\/([a-z]+)\/?$/u.exec(pathname) ?? []
  return id === undefined || page !== name ? null : { id, invite: searchParams.get('invite') }
}

/** The path with the invitation in its query, if there is one. */
export function withInvite(path: string, invite: string | null): string {
  return invite === null ? path : `${path}?${new URLSearchParams({ invite }).toString()}`
}

/** Ten times the longest message of a form, url-encoded, so that one that is too long comes back with its words. */
const FORM_MAX_BYTES = 256 * 1024

/** The fields of a url-encoded form. Line ends as in a text area: browsers send CRLF. Throws `too_large`. */
export async function readFields(request: Request): Promise<URLSearchParams> {
  const sent = new URLSearchParams(new TextDecoder().decode(await readBytes(request, FORM_MAX_BYTES)))
  return new URLSearchParams([...sent].map(([name, value]) => [name, value.replaceAll('\r\n', '\n')]))
}

/**
 * Throws `cross_site` unless a page of ours has sent this form. A form, unlike a JSON call, can be sent by any other site, so
 * a browser too old to name the source in `Origin` or `Sec-Fetch-Site` must name it in `Referer`.
 */
export function requireOwnForm(request: Request, { PUBLIC_ORIGIN }: Env): void {
  const { headers, url } = request
  if (headers.has('Origin') || headers.has('Sec-Fetch-Site')) {
    requireSameOrigin(request, PUBLIC_ORIGIN)
    return
  }
  const referer = headers.get('Referer') ?? ''
  const isOwn = [PUBLIC_ORIGIN, new URL(url).origin].some((origin) => referer.startsWith(`${origin}/`))
  if (!isOwn) throw new AppError('cross_site', serverMessages.system.crossSite)
}

type ApiCall = {
  method: string
  path: string
  body?: BodyInit | undefined
  /** On top of the headers of the form's request. */
  headers?: Record<string, string>
}

/** Method and path of a call, with these values in its path. */
export function callTo(
  { method, path }: Endpoint,
  params: Record<string, string>,
): Pick<ApiCall, 'method' | 'path'> {
  return { method, path: fillPath(path, params) }
}

/**
 * Makes a call of the API for whoever sent this form, so that all rules of the API hold. Call it after {@link requireOwnForm}. The
 * body is JSON unless `headers` say more.
 */
export async function callApi({ request, env, execution }: FormRequest, call: ApiCall): Promise<Response> {
  const headers = new Headers(request.headers)
  headers.delete('Content-Length')
  headers.set('Content-Type', 'application/json')
  headers.set('Origin', env.PUBLIC_ORIGIN)
  for (const [name, value] of Object.entries(call.headers ?? {})) headers.set(name, value)
  const { cf } = request
  const init = {
    method: call.method,
    headers,
    ...(call.body !== undefined && { body: call.body }),
    ...(cf && { cf }),
  }
  return handleApi(new Request(new URL(call.path, request.url), init), env, execution)
}

/** The refusal that the API would answer with. Not only for `AppError`: after any error, the person keeps what they typed. */
export function toRefusal(error: unknown): Response {
  const requestId = newRequestId()
  return toErrorResponse(error, requestId, createLog(requestId))
}

/** A refused form as its page shows it again: what was typed, and what the API says of it. */
export async function postedForm(
  name: string,
  values: Record<string, string>,
  refusal: Response,
): Promise<PostedForm> {
  const { message, code, fields = {} } = await refusal.json<ErrorBody>()
  return { name, values, code, problem: { text: message || messages.system.internal, fields } }
}

/** The reason, and the words to copy, where there is no page with the form any more. */
export function refusalAsText(
  { request, env }: FormRequest,
  problem: string,
  words: string | undefined,
  status: number,
): Response {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
  const text = words ? [problem, messages.comment.copyWords, words].join('\n\n') : problem
  return withSecurityHeaders(new Response(text, { status, headers }), request, env)
}

/** Shows the page of a refused form again: tells when to try again, as the refusal does, and sets the cookies of the form's calls. */
export function showAgain(
  page: Response,
  { request }: FormRequest,
  refusal: Response,
  cookies: string[],
): Response {
  const answer = adaptPage(page, request)
  const retryAfter = refusal.headers.get('Retry-After')
  if (retryAfter !== null) answer.headers.set('Retry-After', retryAfter)
  for (const cookie of cookies) answer.headers.append('Set-Cookie', cookie)
  return answer
}

/**
 * The page of a refused form as `write` writes it, with what the form's call wants: the time to try again, its cookies. Where there is no page by
 * now, the reason and the words as text.
 */
export async function writeAgain(
  form: FormRequest,
  refusal: Response,
  { problem, words }: { problem: string; words?: string | undefined },
  write: (form: FormRequest) => Promise<Response | null>,
): Promise<Response> {
  const { url, headers } = form.request
  const again = { ...form, request: new Request(url, { headers }) }
  // What was typed matters more than how it is shown.
  const written = await write(again).catch(() => null)
  const page = written ?? refusalAsText(form, problem, words, refusal.status)
  return showAgain(page, form, refusal, refusal.headers.getSetCookie())
}

/** Leads the browser on after a form, with the cookies of its calls. */
export function seeOther({ request, env }: FormRequest, location: string, cookies: string[]): Response {
  const next = new Response(null, { status: 303, headers: { Location: location } })
  for (const cookie of cookies) next.headers.append('Set-Cookie', cookie)
  return withSecurityHeaders(next, request, env)
}
