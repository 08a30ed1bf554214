import { codePoints } from './code-points.ts'
import { EMAIL_MAX, PASSWORD_MAX, PASSWORD_MIN } from './limits.ts'
import { messages } from './messages.ts'

/**
 * A field of text: its stored form, and what can be wrong with that, in the order in which it is said. Forms check by the same
 * rules as the Worker's schemas (`text` in text.ts), without loading Zod.
 */
export type TextRule = {
  clean: (text: string) => string
  conditions: readonly Condition[]
  /** The message if it isn't text at all. */
  notText: string
}
/** `abort`: what follows isn't checked. `params`: for `/openapi.json`. */
type Condition = {
  holds: (text: string) => boolean
  error: string
  abort?: boolean
  params?: { minLength?: number; maxLength?: number }
}

/** What is wrong with a text, or null. */
export function problemOf({ clean, conditions }: TextRule, text: string): string | null {
  const stored = clean(text)
  return conditions.find(({ holds }) => !holds(stored))?.error ?? null
}

/** The stored forms of texts, by field. */
export function cleanFields<Name extends string>(
  rules: Record<Name, TextRule>,
  values: Record<Name, string>,
): Record<Name, string> {
  const entries = Object.entries<TextRule>(rules)
  const cleaned = entries.map(([name, { clean }]) => [name, clean(values[name as Name])])
  return Object.fromEntries(cleaned) as Record<Name, string>
}

/**
 * Invisible characters that can disguise a name: bidirectional marks and overrides, zero-width and other format
 * characters, Hangul and braille fillers. ZWJ, ZWNJ and flag tags stay, because emoji and scripts need them.
 */
const INVISIBLE =
  /(\u{1f3f4}[\u{e0030}-\u{e007a}]{1,8}\u{e007f})|[\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu
/** A lone surrogate: UTF-8, and so the database, cannot store it. */
const HALF = /\p{Surrogate}/gu
/** More marks on one letter than any script needs (UAX #15 allows 30): they would cover the lines above. */
const PILED_MARKS = /(\p{M}{8})\p{M}+/gu
/** A visible character, or one that {@link lineRule} refuses. Joiners, marks and white space alone don't count. */
const SOMETHING = /[^\p{Z}\p{M}\p{Cf}\t\n]/u
// eslint-disable-next-line no-control-regex -- refusing control characters is the purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/u
// eslint-disable-next-line no-control-regex -- the same, where line breaks may stay
const CONTROL_BUT_BREAKS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u

/** The stored form: no invisible characters, no lone surrogates, NFC, at most 8 marks per letter. Idempotent. */
export function cleanCharacters(text: string): string {
  return text.replace(HALF, '\ufffd').replace(INVISIBLE, '$1').normalize('NFC').replace(PILED_MARKS, '$1')
}

function cleanLine(text: string): string {
  const clean = cleanCharacters(text).trim()
  return SOMETHING.test(clean) ? clean : ''
}

function cleanLines(text: string): string {
  return cleanLine(text.replace(/\r\n?|[\u2028\u2029]/gu, '\n'))
}

export type TextOptions = { max: number; required?: string; tooLong?: string }

function cleanText(
  clean: (text: string) => string,
  control: RegExp,
  { max, required, tooLong = `This must be ${max} characters or less` }: TextOptions,
): TextRule {
  return {
    clean,
    notText: required ?? 'This must be text',
    conditions: [
      ...(required === undefined ? [] : [notEmpty(required)]),
      { holds: (text) => !control.test(text), error: 'This contains characters that cannot be used' },
      atMost(max, tooLong),
    ],
  }
}

function notEmpty(error: string): Condition {
  return { holds: (text) => text.length > 0, error, abort: true, params: { minLength: 1 } }
}

function atMost(max: number, error: string): Condition {
  return { holds: (text) => codePoints(text) <= max, error, params: { maxLength: max } }
}

/** One line of text: trimmed, NFC, no control characters. `required` is the message if it is empty. */
export function lineRule(options: TextOptions): TextRule {
  return cleanText(cleanLine, CONTROL, options)
}

/** Text with line breaks (`\n` and tab), otherwise as {@link lineRule}. */
export function linesRule(options: TextOptions): TextRule {
  return cleanText(cleanLines, CONTROL_BUT_BREAKS, options)
}

/** RFC 5322 atoms around the dots, so that no control character, quote or bracket can reach a mail header. */
const EMAIL =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~.-]+@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/u

/** Invisible characters that stick to an address copied from a page or a chat. */
const COPIED_EDGES =
  /^[\s\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+|[\s\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+$/gu

/**
 * An email address, trimmed, with ASCII letters lower-cased. Letters are never dropped or mapped to similar ones: Unicode
 * would turn the Kelvin sign into `k`, and one person's address into another's.
 */
export const EMAIL_ADDRESS: TextRule = {
  // Too long in any case; trimming it would be slow.
  clean: (text) =>
    text.length > 4 * EMAIL_MAX
      ? text
      : text.replace(COPIED_EDGES, '').replace(/[A-Z]+/gu, (letters) => letters.toLowerCase()),
  notText: messages.contact.emailInvalid,
  conditions: [
    {
      holds: (text) => text.length <= EMAIL_MAX && EMAIL.test(text),
      error: messages.contact.emailInvalid,
    },
  ],
}

const asTyped = (text: string) => text

/** A new password, exactly as typed: never trimmed or normalised (ASVS 6.2.8). */
export const NEW_PASSWORD: TextRule = {
  clean: asTyped,
  notText: messages.form.fillAll,
  conditions: [
    notEmpty(messages.form.fillAll),
    {
      holds: (text) => codePoints(text) >= PASSWORD_MIN,
      error: messages.password.tooShort,
      params: { minLength: PASSWORD_MIN },
      abort: true,
    },
    atMost(PASSWORD_MAX, messages.password.tooLong),
  ],
}

/** A password that is compared with the stored one. */
export const CURRENT_PASSWORD: TextRule = {
  clean: asTyped,
  notText: messages.form.fillAll,
  conditions: [notEmpty(messages.form.fillAll), atMost(PASSWORD_MAX, messages.password.tooLong)],
}

/** The secret of a link in a mail. */
export function linkToken(invalid: string): TextRule {
  return { clean: asTyped, notText: invalid, conditions: [notEmpty(invalid)] }
}

/** One of some values. */
export function oneOf(values: readonly string[], error: string): TextRule {
  return { clean: asTyped, notText: error, conditions: [{ holds: (text) => values.includes(text), error }] }
}
