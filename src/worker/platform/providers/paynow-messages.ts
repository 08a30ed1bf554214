import { Buffer } from 'node:buffer'
import { timingSafeEqual } from 'node:crypto'
import { sha512 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/** A message to or from Paynow: names and decoded values, in the order of the message, because the hash depends on it. */
export type PaynowFields = readonly (readonly [name: string, value: string])[]

/** Above any message of Paynow's: https://developers.paynow.co.zw/docs/status_update.html lists 14 fields. */
const FIELDS_MAX = 40

/** Why a message from Paynow was refused. */
export class PaynowMessageError extends Error {}

/**
 * A message as a URL-encoded body, with its hash as the last field. Paynow hashes the values as they are, not encoded:
 * https://developers.paynow.co.zw/docs/generating_hash.html
 */
export function encodePaynowMessage(fields: PaynowFields, key: string): string {
  const filled = fields.filter(([, value]) => value !== '')
  const hash = paynowHash(filled, key)
  return new URLSearchParams(
    [...filled, ['hash', hash]].map(([name = '', value = '']) => [name, value]),
  ).toString()
}

/**
 * Reads a URL-encoded body. Keeps the order and unknown fields, and changes nothing in the values. Throws
 * {@link PaynowMessageError} for HTML, a broken encoding, a name that comes twice, and too many fields.
 */
export function parsePaynowMessage(body: string): PaynowFields {
  const parts = body.trim().split('&')
  if (parts.length > FIELDS_MAX) throw new PaynowMessageError('has too many fields')
  const fields = parts.map((part) => {
    const end = part.indexOf('=')
    const name = decode(end === -1 ? part : part.slice(0, end))
    if (end === -1 || !/^\w+$/u.test(name)) throw new PaynowMessageError('is not made of fields')
    return [name.toLowerCase(), decode(part.slice(end + 1))] as const
  })
  if (new Set(fields.map(([name]) => name)).size < fields.length) {
    throw new PaynowMessageError('has a field twice')
  }
  return fields
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw new PaynowMessageError('is not URL-encoded', { cause })
  }
}

/**
 * Throws {@link PaynowMessageError} unless the message has the hash that only Paynow and we can compute:
 * https://developers.paynow.co.zw/docs/validating_hash.html. The hash alone doesn't prove single values, because it covers
 * them without separators: compare each with our own record.
 */
export function verifyPaynowMessage(fields: PaynowFields, key: string): void {
  const given = Buffer.from(fieldOf(fields, 'hash').toUpperCase())
  const expected = Buffer.from(paynowHash(fields, key))
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new PaynowMessageError('has a wrong hash or none')
  }
}

/** The value of a field, empty if the message doesn't have it. `name` in lower case. */
export function fieldOf(fields: PaynowFields, name: string): string {
  return fields.find(([other]) => other === name)?.[1] ?? ''
}

/** Whole cents of an amount such as `60`, `60.0` or `60.00`; null for any other text. */
export function centsOf(amount: string): number | null {
  const match = /^(\d{1,9})(?:\.(\d{1,2}))?$/u.exec(amount)
  return match && Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
}

/** SHA-512 of all values but the hash and of the integration's key, in upper-case hex. */
function paynowHash(fields: PaynowFields, key: string): string {
  const values = fields.filter(([name]) => name !== 'hash').map(([, value]) => value)
  return bytesToHex(sha512(utf8ToBytes([...values, key.trim().toLowerCase()].join('')))).toUpperCase()
}
