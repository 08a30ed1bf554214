import * as z from 'zod/mini'

/** Messages by field name; a nested field has a dotted path. */
export type FieldErrors = Record<string, string>

/** Validates values with the server's own schema before they are sent: the first message of each field. */
export function inputErrors(schema: z.core.$ZodType, values: unknown): FieldErrors {
  const result = z.safeParse(schema, values)
  const errors: FieldErrors = {}
  for (const issue of result.error?.issues ?? []) errors[issue.path.join('.')] ??= issue.message
  return errors
}
