import { messages } from '#shared/messages.ts'
import { inputErrors } from '#client/lib/form-errors.ts'
import type { Problem } from '#client/lib/use-form.ts'
import type { core } from 'zod/mini'

/** Checks that all fields are filled in, then that both new passwords match, then each field. */
export function checkNewPassword<Values extends Record<string, string> & { confirmPassword: string }>(
  schema: core.$ZodType,
  values: Values,
  repeated: Exclude<keyof Values & string, 'confirmPassword'>,
): Problem | null {
  const missing = Object.entries(values).filter(([, value]) => value.trim() === '')
  if (missing.length > 0) {
    return {
      text: messages.form.fillAll,
      fields: Object.fromEntries(missing.map(([field]) => [field, messages.form.fillAll])),
    }
  }
  if (values[repeated] !== values.confirmPassword) {
    return { text: messages.password.mismatch, fields: { confirmPassword: messages.password.mismatch } }
  }
  const fields = inputErrors(schema, values)
  const [first] = Object.values(fields)
  return first === undefined ? null : { text: first, fields }
}
