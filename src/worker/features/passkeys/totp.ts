import { Buffer } from 'node:buffer'
import { createHmac } from 'node:crypto'

// Codes of authenticator apps: TOTP (RFC 6238) with what all apps know: SHA-1, 30 seconds, 6 digits.

const STEP_MS = 30_000
const DIGITS = 6
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The time step of an instant. */
export function stepAt(atMs: number): number {
  return Math.floor(atMs / STEP_MS)
}

/** The code of a time step. Tests ask for the 8 digits of the RFC. */
export function codeAt(secret: Uint8Array, step: number, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step whose code this is: now, or one earlier or later for a clock that is wrong; null for any other code. */
export function stepOf(secret: Uint8Array, code: string, nowMs: number): number | null {
  const now = stepAt(nowMs)
  return [now, now - 1, now + 1].find((step) => codeAt(secret, step) === code) ?? null
}

/** As apps take it: RFC 4648, without padding. */
export function toBase32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/gu) ?? [])
    .map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('')
}

export function fromBase32(text: string): Uint8Array {
  const bits = Array.from(text, (letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Uint8Array.from((bits.match(/.{8}/gu) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** What the app reads from a QR code: https://github.com/google/google-authenticator/wiki/Key-Uri-Format */
export function keyUri(secret: string, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(issuer)}`
}
