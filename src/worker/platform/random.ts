import { Buffer } from 'node:buffer'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { ID_PREFIX, REQUEST_ID, type IdKind } from '#shared/ids.ts'
import { utf8 } from '#worker/platform/bytes.ts'

const BASE32 = 'abcdefghjkmnpqrstuvwxyz023456789'

/** `length` characters of 5 random bits each, without i, l, o and 1, which people misread. */
export function randomBase32(length: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) => BASE32[byte & 31]).join('')
}

/** A new id of a request, job or cron run, for log lines and error responses. */
export function newRequestId(): string {
  return `req_${randomBase32(16)}`
}

/** `given` if it's a valid request id, else undefined, so that no other text gets into the log as one. */
export function readRequestId(given: unknown): string | undefined {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : undefined
}

/** A new opaque id: the prefix of its kind and 100 random bits, for example `mem_7k2…`. */
export function newId(kind: IdKind): string {
  return `${ID_PREFIX[kind]}_${randomBase32(20)}`
}

/** A pseudonym of `id`, stable within `scope`. It reveals neither the id nor pseudonyms in other scopes. */
export function pseudonymousId(kind: IdKind, id: string, scope: string): string {
  const bytes = sha256(utf8(`${scope} ${id}`)).slice(0, 20)
  return `${ID_PREFIX[kind]}_${Array.from(bytes, (byte) => BASE32[byte & 31]).join('')}`
}

/** The same UUID (version 8, RFC 9562) for the same text; it doesn't reveal the text if that has random bits. */
export function uuidOf(text: string): string {
  const hex = bytesToHex(sha256(utf8(text)))
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

/** True for a UUID of {@link uuidOf}: whoever knows the text knows it. */
export function isUuidOfText(uuid: string): boolean {
  return uuid[14] === '8'
}

/** A bearer token: 256 random bits, base64url, 43 characters. Store {@link hashToken} of it, never the token. */
export function newToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
}

/** SHA-256 of a token in hex: enough for 256 random bits, no salt needed (OWASP Session Management). */
export function hashToken(token: string): string {
  return bytesToHex(sha256(utf8(token)))
}
