import { AppError } from '#shared/errors.ts'
import { stripQuotes, type ClientError } from '#shared/health.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx, RequestCtx } from '#worker/platform/ctx.ts'
import { count } from '#worker/platform/metrics.ts'

/** Refuses whoever is no page of ours: a browser names the page that sends, and the origin check has seen that it is ours. */
export function fromOurPage({ request }: RequestCtx): void {
  if (!request.headers.has('Origin')) throw new AppError('cross_site', messages.system.crossSite)
}

/**
 * Writes what a browser reports into the log. `failedRequestId` is the id under which the Worker, and the jobs that the call
 * asked for, have written theirs. It is a stranger's word: a warning and no error, and once more without what it may quote.
 */
export function noteClientError(ctx: Ctx, { name, message, screen, release, requestId }: ClientError): void {
  count(ctx, 'client_error', { kind: screen })
  ctx.log.warn('client_error', {
    name: stripQuotes(name),
    message: stripQuotes(message),
    screen,
    release: stripQuotes(release),
    failedRequestId: requestId,
  })
}
