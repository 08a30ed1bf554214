import { messages } from '#shared/messages.ts'
import type { TextRule } from '#shared/text-rules.ts'
import { checkFilled, checkFields, type Problem } from '#client/lib/use-form.ts'

/** Checks that all fields are filled in, then that both new passwords match, then each field. */
export function checkNewPassword<Values extends Record<string, string> & { confirmPassword: string }>(
  rules: Readonly<Record<string, TextRule>>,
  values: Values,
  repeated: Exclude<keyof Values & string, 'confirmPassword'>,
): Problem | null {
  const trimmed = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]))
  const missing = checkFilled(trimmed)
  if (missing) return missing
  if (values[repeated] !== values.confirmPassword) {
    return { text: messages.password.mismatch, fields: { confirmPassword: messages.password.mismatch } }
  }
  return checkFields(rules, values)
}
