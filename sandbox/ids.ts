import { randomInt } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Random characters of the alphabet of Stripe's ids (digits and letters). */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) text += ALPHABET[randomInt(ALPHABET.length)]
  return text
}

/** An id in Stripe's format, for example `pi_3Q…`. */
export function newId(prefix: string): string {
  return `${prefix}_3${randomText(23)}`
}
