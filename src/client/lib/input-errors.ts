import * as z from 'zod/mini'
import type { FieldErrors } from './use-form.ts'

/** Validates values with the server's own schema before they are sent: the first message of each field. Loads Zod, so only the wizard does it. */
export function inputErrors(schema: z.core.$ZodType, values: unknown): FieldErrors {
  const result = z.safeParse(schema, values)
  const errors: FieldErrors = {}
  for (const issue of result.error?.issues ?? []) errors[issue.path.join('.')] ??= issue.message
  return errors
}
