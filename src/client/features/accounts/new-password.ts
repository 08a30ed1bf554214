import type { core } from 'zod/mini'
import { messages } from '#shared/messages.ts'
import { checkFilled, checkInput, type Problem } from '#client/lib/use-form.ts'

/** Checks that all fields are filled in, then that both new passwords match, then each field. */
export function checkNewPassword<Values extends Record<string, string> & { confirmPassword: string }>(
  schema: core.$ZodType,
  values: Values,
  repeated: Exclude<keyof Values & string, 'confirmPassword'>,
): Problem | null {
  const trimmed = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]))
  const missing = checkFilled(trimmed)
  if (missing) return missing
  if (values[repeated] !== values.confirmPassword) {
    return { text: messages.password.mismatch, fields: { confirmPassword: messages.password.mismatch } }
  }
  return checkInput(schema, values)
}
