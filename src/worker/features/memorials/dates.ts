import { AppError } from '#shared/errors.ts'
import { DAY_MS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import type { Ctx } from '#worker/platform/ctx.ts'

type LifeDates = { dateOfBirth: string | null; dateOfDeath: string | null }

/**
 * Throws `bad_input` unless birth ≤ death ≤ tomorrow. Tomorrow is allowed because time zones ahead of UTC reach it
 * first.
 */
export function requireDatesInOrder(ctx: Ctx, { dateOfBirth, dateOfDeath }: LifeDates): void {
  const tomorrow = new Date(ctx.now() + DAY_MS).toISOString().slice(0, 10)
  const fields: Record<string, string> = {}
  if (dateOfBirth !== null && dateOfBirth > tomorrow) fields['dateOfBirth'] = messages.memorial.dateInFuture
  if (dateOfDeath !== null && dateOfDeath > tomorrow) fields['dateOfDeath'] = messages.memorial.dateInFuture
  if (dateOfBirth !== null && dateOfDeath !== null && dateOfBirth > dateOfDeath) {
    fields['dateOfDeath'] ??= messages.memorial.datesOrder
  }
  const [message] = Object.values(fields)
  if (message !== undefined) throw new AppError('bad_input', message, { fields })
}
