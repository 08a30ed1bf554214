import { AppError } from '#shared/errors.ts'
import { stripQuotes, type ClientError } from '#shared/health.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { count } from '#worker/platform/metrics.ts'

/**
 * Route guard: the request comes from one of our pages. The origin check has verified the Origin header, so here it only has
 * to be present. Throws `cross_site`.
 */
export function requireOwnPage({ request }: RequestCtx): void {
  if (!request.headers.has('Origin')) throw new AppError('cross_site', messages.system.crossSite)
}

/**
 * Logs an error that a browser reports. `failedRequestId` is the request id under which the Worker and its jobs logged theirs.
 * Anyone can send a report, so it is a warning and not an error, and quoted text is stripped here again.
 */
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
