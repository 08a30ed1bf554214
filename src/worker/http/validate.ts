import * as z from 'zod/mini'
import { AppError } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'

/**
 * Parses `value` by `schema`, or throws `bad_input` with the first message of each field. Unknown keys are dropped by
 * the schemas themselves.
 */
export function validate<S extends z.core.$ZodType>(schema: S, value: unknown): z.output<S> {
  // A schema that says nothing of its own would be answered in the library's words.
  const result = z.safeParse(schema, value, { error: () => messages.form.checkFields })
  if (result.success) return result.data
  const fields: Record<string, string> = {}
  for (const issue of result.error.issues) {
    const name = issue.path.length > 0 ? issue.path.join('.') : 'body'
    fields[name] ??= issue.message
  }
  throw new AppError('bad_input', Object.values(fields)[0] ?? messages.form.checkFields, { fields })
}
