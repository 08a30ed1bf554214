import { randomInt } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A random text of Stripe's alphabet (digits and letters). */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) text += ALPHABET[randomInt(ALPHABET.length)]
  return text
}

/** An id as Stripe makes them, for example `pi_3Q…`. */
export function newId(prefix: string): string {
  return `${prefix}_3${randomText(23)}`
}
