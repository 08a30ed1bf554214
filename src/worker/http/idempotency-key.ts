import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import type { RequestCtx } from '#worker/ctx.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/iu

/** The `Idempotency-Key` of a creating call (a client-made UUID), or null. Throws `bad_input` for any other text. */
export function idempotencyKeyOf(ctx: RequestCtx): string | null {
  const key = ctx.request.headers.get('Idempotency-Key')
  if (key !== null && !UUID.test(key)) throw new AppError('bad_input', messages.form.checkFields)
  return key?.toLowerCase() ?? null
}
