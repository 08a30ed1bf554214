import * as z from 'zod/mini'

/** Messages by field name; a dotted path for a field within a field. */
export type FieldErrors = Record<string, string>

/** What the server's own schema says of these values, before they are sent: the first message of each field. */
export function inputErrors(schema: z.core.$ZodType, values: unknown): FieldErrors {
  const result = z.safeParse(schema, values)
  const errors: FieldErrors = {}
  for (const issue of result.error?.issues ?? []) errors[issue.path.join('.')] ??= issue.message
  return errors
}
