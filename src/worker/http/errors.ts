import { AppError, ERROR_STATUS, type ErrorBody } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { Log } from '#worker/platform/log.ts'

/** Converts every error to a response: an {@link AppError} as it is, any other as a fixed message; logs it with the request id. */
export function toErrorResponse(error: unknown, requestId: string, log: Log): Response {
  if (error instanceof AppError) {
    const body: ErrorBody = {
      message: error.message,
      code: error.code,
      ...(error.fields ? { fields: error.fields } : {}),
      ...(error.status >= 500 ? { requestId } : {}),
    }
    if (error.status >= 500) log.error(error.code, error.cause ?? error)
    const headers = new Headers()
    if (error.retryAfterSec !== undefined) headers.set('Retry-After', String(error.retryAfterSec))
    return Response.json(body, { status: error.status, headers })
  }
  log.error('unhandled', error)
  const body: ErrorBody = { message: messages.system.internal, code: 'internal', requestId }
  return Response.json(body, { status: ERROR_STATUS.internal })
}
