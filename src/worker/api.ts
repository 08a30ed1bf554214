import { Hono } from 'hono'
import { api } from '#shared/api.ts'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import { createCtx, ipOf, type Ctx, type RequestCtx } from '#worker/platform/ctx.ts'
import type { Env } from '#worker/platform/env.ts'
import { accountRoutes } from '#worker/features/accounts/accounts.routes.ts'
import { findSessionUser } from '#worker/access/sessions.ts'
import { adminRoutes } from '#worker/features/admin/admin.routes.ts'
import { commentRoutes } from '#worker/features/comments/comments.routes.ts'
import { visitorRoutes } from '#worker/features/visitors/visitors.routes.ts'
import { configRoutes } from '#worker/features/config/config.routes.ts'
import { contactRoutes } from '#worker/features/contact/contact.routes.ts'
import { exportRoutes } from '#worker/features/export/export.routes.ts'
import { funeralRoutes } from '#worker/features/funeral/funeral.routes.ts'
import { replyRoutes } from '#worker/features/replies/replies.routes.ts'
import { healthRoutes, SESSIONLESS_PATHS } from '#worker/features/health/health.routes.ts'
import { letInRoutes } from '#worker/features/let-in/let-in.routes.ts'
import { keeperRoutes } from '#worker/features/keepers/keepers.routes.ts'
import { successorRoutes } from '#worker/features/successors/successors.routes.ts'
import { inviteRoutes } from '#worker/features/invites/invites.routes.ts'
import { followersRoutes } from '#worker/features/followers/followers.routes.ts'
import { recoveryRoutes } from '#worker/features/recovery/recovery.routes.ts'
import { locationRoutes } from '#worker/features/location/location.routes.ts'
import { previewRoutes } from '#worker/features/previews/previews.routes.ts'
import { plaqueRoutes } from '#worker/features/plaque/plaque.routes.ts'
import { mediaRoutes, resumableRoutes } from '#worker/features/media/media.routes.ts'
import { addTusVersion, applyMethodOverride } from '#worker/features/media/tus.ts'
import { memorialRoutes } from '#worker/features/memorials/memorials.routes.ts'
import { removalRoutes } from '#worker/features/removal/removal.routes.ts'
import { reportRoutes } from '#worker/features/reports/reports.routes.ts'
import { viewRoutes } from '#worker/features/views/views.routes.ts'
import { passkeyRoutes } from '#worker/features/passkeys/passkeys.routes.ts'
import { payLinkRoutes } from '#worker/features/pay-links/pay-links.routes.ts'
import { paymentRoutes } from '#worker/features/payments/payments.routes.ts'
import { readCookies } from '#worker/http/cookies.ts'
import { toErrorResponse } from '#worker/http/errors.ts'
import { withSecurityHeaders } from '#worker/http/headers.ts'
import { requireSameOrigin } from '#worker/http/origin.ts'
import type { App, AppEnv } from '#worker/access/route.ts'
import { count } from '#worker/platform/metrics.ts'
import type { FirstRead } from '#worker/platform/db.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Paths for which no session is looked up. Logging out needs none: it ends whatever the cookie names, and renews nothing. */
const SESSIONLESS = new Set([...SESSIONLESS_PATHS, api.logout.path])

/** Webhooks: the request is signed and has no Origin. */
const SIGNED_PATHS = new Set<string>([api.stripeWebhook.path, api.paynowResult.path])

/** All API routes, without the origin check, session and headers that {@link handleApi} adds. */
export const app: App = new Hono<AppEnv>()
for (const mount of [
  accountRoutes,
  passkeyRoutes,
  memorialRoutes,
  viewRoutes,
  removalRoutes,
  reportRoutes,
  exportRoutes,
  funeralRoutes,
  replyRoutes,
  previewRoutes,
  locationRoutes,
  plaqueRoutes,
  mediaRoutes,
  resumableRoutes,
  commentRoutes,
  visitorRoutes,
  inviteRoutes,
  recoveryRoutes,
  followersRoutes,
  keeperRoutes,
  successorRoutes,
  letInRoutes,
  paymentRoutes,
  payLinkRoutes,
  contactRoutes,
  adminRoutes,
  healthRoutes,
  configRoutes,
]) {
  mount(app)
}
app.notFound((c) => {
  const allowed = allowedMethods(c.req.path)
  const error =
    allowed.length > 0
      ? new AppError('method_not_allowed', serverMessages.system.methodNotAllowed)
      : new AppError('not_found', messages.system.notFound)
  const ctx = c.env.ctx
  const answer = toErrorResponse(error, ctx.requestId, ctx.log)
  if (allowed.length > 0) answer.headers.set('Allow', allowed.join(', '))
  return answer
})
app.onError((error, c) => toErrorResponse(error, c.env.ctx.requestId, c.env.ctx.log))

function allowedMethods(path: string): string[] {
  const methods = new Set<string>()
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    if (app.router.match(method, path)[0].length > 0) methods.add(method)
  }
  if (methods.has('GET')) methods.add('HEAD')
  return [...methods]
}

/** Paths that accept file uploads. */
const UPLOAD = /\/(?:uploads(?:\/[^/]+)?|media\/upload|profile-image|funeral-program)$/u

function countAnswer(ctx: Ctx, { method, url }: Request, status: number): void {
  const kind = String(status)
  if (status >= 500) count(ctx, 'error', { kind })
  else if (status >= 400 && method !== 'GET' && UPLOAD.test(new URL(url).pathname)) {
    count(ctx, 'upload_refused', { kind })
  }
}

/** Handles `/api/*` and `/media/*`: checks the origin, finds the session, runs the route and adds the common headers. */
export async function handleApi(received: Request, env: Env, execution: ExecutionContext): Promise<Response> {
  let request = received
  const base = createCtx({
    env,
    waitUntil: (promise) => execution.waitUntil(promise),
    firstRead: firstReadFor(request),
  })
  const cookies = readCookies(request)
  const sessionHeaders = new Headers()
  let answer: Response
  try {
    request = applyMethodOverride(received)
    const { pathname } = new URL(request.url)
    // prove: writes-same-origin
    if (!SIGNED_PATHS.has(pathname)) requireSameOrigin(request, env.PUBLIC_ORIGIN)
    const ctx: RequestCtx = {
      ...base,
      request,
      ip: ipOf(request),
      user: SESSIONLESS.has(pathname) ? null : await findSessionUser(base, request, cookies, sessionHeaders),
      credentials: { contributorHeader: request.headers.get('X-Contributor-Token'), cookies },
    }
    answer = await app.fetch(request, { ...env, ctx }, execution)
  } catch (error) {
    answer = toErrorResponse(error, base.requestId, base.log)
  }
  countAnswer(base, request, answer.status)
  const secured = withSecurityHeaders(answer, request, env)
  addTusVersion(request, secured)
  // A route that sets cookies has decided about the session itself.
  if (!secured.headers.has('Set-Cookie')) {
    for (const [name, value] of sessionHeaders) secured.headers.append(name, value)
  }
  // Caches may store an image of a public memorial, but not the session cookie that this response renews.
  if (secured.headers.has('Set-Cookie')) {
    secured.headers.set('Cache-Control', 'private, no-store')
    secured.headers.delete('Cache-Tag')
  }
  return secured
}

/** Reads of public data. URLs that themselves grant something (invitations, links in mails) are not among them. */
const PUBLIC_READS = /^\/(?:api\/memorials?\/[^/]|media\/stream\/)/u
const READ_METHODS = new Set(['GET', 'HEAD'])
const CREDENTIAL_HEADERS = ['Authorization', 'X-Contributor-Token', 'Cf-Access-Jwt-Assertion']
const CREDENTIAL_COOKIE = /^(?:__Host-)?(?:session$|contributor-|replies-)/u

/** A request with any credential uses the primary, so that revocations apply at once; others may read a replica. */
export function firstReadFor(request: Request): FirstRead {
  const { pathname, searchParams } = new URL(request.url)
  const isPublicRead = READ_METHODS.has(request.method) && PUBLIC_READS.test(pathname)
  const hasCredential =
    searchParams.has('invite') ||
    CREDENTIAL_HEADERS.some((name) => request.headers.has(name)) ||
    Object.keys(readCookies(request)).some((name) => CREDENTIAL_COOKIE.test(name))
  return isPublicRead && !hasCredential ? 'first-unconstrained' : 'first-primary'
}
