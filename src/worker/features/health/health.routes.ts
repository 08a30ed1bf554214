import { api } from '#shared/api.ts'
import { readHealth } from '#worker/features/health/health.ts'
import { limitByIp } from '#worker/access/guards.ts'
import { route, type App } from '#worker/access/route.ts'
import { AppError } from '#shared/errors.ts'
import type { ClientError } from '#shared/admin/health.ts'
import { stripQuotes } from '#shared/strip-quotes.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { count } from '#worker/platform/metrics.ts'
import { serverMessages } from '#worker/platform/server-messages.ts'

/** Paths of monitors and error reports, for which the Worker looks up no session. */
export const SESSIONLESS_PATHS: ReadonlySet<string> = new Set([
  api.health.path,
  api.healthLive.path,
  api.clientErrors.path,
])

export function healthRoutes(app: App): void {
  route(app, api.health, { limit: limitByIp('LIMIT_HEALTH') }, ({ ctx }) => readHealth(ctx))
  route(app, api.healthLive, {}, async () => ({ isLive: true }))
  route(
    app,
    api.clientErrors,
    { page: requireOwnPage, limit: limitByIp('LIMIT_CLIENT_ERRORS') },
    async ({ ctx, body }) => {
      logClientError(ctx, body)
      return null
    },
  )
}

/**
 * Route guard: the request comes from one of our pages. The origin check has verified the Origin header, so here it only has
 * to be present. Throws `cross_site`.
 */
export function requireOwnPage({ request }: RequestCtx): void {
  if (!request.headers.has('Origin')) throw new AppError('cross_site', serverMessages.system.crossSite)
}

/** Anyone can send a report, so it is a warning and not an error, and quoted text is stripped here again. */
export function logClientError(ctx: Ctx, { name, message, screen, release, requestId }: ClientError): void {
  count(ctx, 'client_error', { kind: screen })
  ctx.log.warn('client_error', {
    name: stripQuotes(name),
    message: stripQuotes(message),
    screen,
    release: stripQuotes(release),
    failedRequestId: requestId,
  })
}
