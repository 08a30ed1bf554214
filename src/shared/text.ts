import * as z from 'zod/mini'
import { EMAIL_MAX } from './limits.ts'
import { messages } from './messages.ts'

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
/** A visible character, or one that {@link line} refuses. Joiners, marks and white space alone don't count. */
const SOMETHING = /[^\p{Z}\p{M}\p{Cf}\t\n]/u
// eslint-disable-next-line no-control-regex -- refusing control characters is the purpose
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/u
// eslint-disable-next-line no-control-regex -- the same, where line breaks may stay
const CONTROL_BUT_BREAKS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u

/** Number of Unicode code points, the unit of every length limit. */
export function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

type TextOptions = { max: number; required?: string; tooLong?: string }

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

function cleanText(
  clean: (value: string) => string,
  control: RegExp,
  { max, required, tooLong }: TextOptions,
) {
  return z.string(required ?? 'This must be text').check(
    z.overwrite(clean),
    z.refine((value) => required === undefined || value.length > 0, {
      error: required ?? '',
      abort: true,
      params: required === undefined ? {} : { minLength: 1 },
    }),
    z.refine((value) => !control.test(value), { error: 'This contains characters that cannot be used' }),
    z.refine((value) => codePoints(value) <= max, {
      error: tooLong ?? `This must be ${max} characters or less`,
      params: { maxLength: max },
    }),
  )
}

/** One line of text: trimmed, NFC, no control characters. `required` is the message if it is empty. */
export function line(options: TextOptions) {
  return cleanText(cleanLine, CONTROL, options)
}

/** Text with line breaks (`\n` and tab), otherwise as {@link line}. */
export function lines(options: TextOptions) {
  return cleanText(cleanLines, CONTROL_BUT_BREAKS, options)
}

/** As {@link line}; empty text becomes null. */
export function lineOrNull(options: Omit<TextOptions, 'required'>) {
  return emptyAsNull(line(options))
}

/** As {@link lines}; empty text becomes null. */
export function linesOrNull(options: Omit<TextOptions, 'required'>) {
  return emptyAsNull(lines(options))
}

function emptyAsNull(text: z.ZodMiniString) {
  return z.pipe(
    z.nullable(text),
    z.transform((value) => (value === '' ? null : value)),
  )
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
export function emailAddress() {
  const error = messages.contact.emailInvalid
  return z.string(error).check(
    z.overwrite((value) =>
      // Too long in any case; trimming it would be slow.
      value.length > 4 * EMAIL_MAX
        ? value
        : value.replace(COPIED_EDGES, '').replace(/[A-Z]+/gu, (letters) => letters.toLowerCase()),
    ),
    z.refine((value) => value.length <= EMAIL_MAX && EMAIL.test(value), { error }),
  )
}
