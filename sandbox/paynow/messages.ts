import { createHash } from 'node:crypto'

/** A message: names and values in its order, which the hash depends on. */
export type Fields = [name: string, value: string][]

/** Reads a form body; names in lower case. Null if it is broken or has a name twice. */
export function readFields(body: string): Fields | null {
  try {
    const fields = body.split('&').map((part): [string, string] => {
      const [name = '', ...rest] = part.split('=')
      return [decode(name).toLowerCase(), decode(rest.join('='))]
    })
    return new Set(fields.map(([name]) => name)).size === fields.length ? fields : null
  } catch {
    return null
  }
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '))
}

/** The value of a field; empty if the message does not have it. */
export function valueOf(fields: Fields, name: string): string {
  return fields.find(([other]) => other === name)?.[1] ?? ''
}

/** SHA-512 of the values and the key, in upper-case hex: https://developers.paynow.co.zw/docs/generating_hash.html */
export function hashOf(fields: Fields, key: string): string {
  const hash = createHash('sha512')
  for (const [name, value] of fields) if (name.toLowerCase() !== 'hash') hash.update(value, 'utf8')
  return hash.update(key, 'utf8').digest('hex').toUpperCase()
}

/** A signed message as Paynow writes it: lower-case hex and `+` for a space. */
export function signedBody(fields: Fields, key: string): string {
  return toBody([...fields, ['hash', hashOf(fields, key)]])
}

/** A message as Paynow writes it, without a hash of its own. */
export function toBody(fields: Fields): string {
  return fields.map(([name, value]) => `${name}=${encode(value)}`).join('&')
}

function encode(text: string): string {
  return encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replace(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase())
}

/** An error: not signed, and sent with status 200. */
export function errorBody(error: string): string {
  return toBody([
    ['status', 'Error'],
    ['error', error],
  ])
}
