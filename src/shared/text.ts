import * as z from 'zod/mini'
import { EMAIL_ADDRESS, lineRule, linesRule, type TextOptions, type TextRule } from './text-rules.ts'

/** The schema of a field of text. */
export function text({ clean, conditions, notText }: TextRule) {
  return z
    .string(notText)
    .check(
      z.overwrite(clean),
      ...conditions.map(({ holds, error, abort = false, params = {} }) =>
        z.refine<string>(holds, { error, abort, params }),
      ),
    )
}

/** The schemas of several such fields, by their names. */
export function texts<Rules extends Record<string, TextRule>>(rules: Rules) {
  const fields = Object.entries(rules).map(([name, rule]) => [name, text(rule)])
  return Object.fromEntries(fields) as { [Name in keyof Rules]: z.ZodMiniString }
}

/** One line of text: trimmed, NFC, no control characters. `required` is the message if it is empty. */
export function line(options: TextOptions) {
  return text(lineRule(options))
}

/** Text with line breaks (`\n` and tab), otherwise as {@link line}. */
export function lines(options: TextOptions) {
  return text(linesRule(options))
}

/** As {@link line}; empty text becomes null. */
export function lineOrNull(options: Omit<TextOptions, 'required'>) {
  return emptyAsNull(line(options))
}

/** As {@link lines}; empty text becomes null. */
export function linesOrNull(options: Omit<TextOptions, 'required'>) {
  return emptyAsNull(lines(options))
}

function emptyAsNull(schema: z.ZodMiniString) {
  return z.pipe(
    z.nullable(schema),
    z.transform((value) => (value === '' ? null : value)),
  )
}

/** An email address, as {@link EMAIL_ADDRESS} stores it. */
export function emailAddress() {
  return text(EMAIL_ADDRESS)
}
