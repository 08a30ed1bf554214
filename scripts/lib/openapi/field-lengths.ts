import * as z from 'zod/mini'
import type { JsonSchema } from './json-schema.ts'

/** Longer than any text that we take. */
const FAR = 2 ** 18

/**
 * `minLength` and `maxLength` of a text, in code points, found by trying: our checks are functions, and a function has no
 * JSON Schema. Nothing for text that has a form of its own (an address, a date) or no limit.
 */
export function lengthsOf(schema: z.core.$ZodType): JsonSchema {
  const takes = (length: number) => z.safeParse(schema, 'a'.repeat(length)).success
  const shortest = Array.from({ length: 20 }, (_, length) => length).find((length) => takes(length))
  if (shortest === undefined) return {}
  const bounds: JsonSchema = shortest === 0 ? {} : { minLength: shortest }
  return takes(FAR) ? bounds : { ...bounds, maxLength: longest(takes, shortest) }
}

function longest(takes: (length: number) => boolean, shortest: number): number {
  let [good, bad] = [shortest, FAR]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (takes(middle)) good = middle
    else bad = middle
  }
  return good
}
