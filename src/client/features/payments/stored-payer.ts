import { PAYER_PREFIX, readText, removeText, writeText } from '#client/lib/browser/stored-text.ts'

/** Who pays with a link, as they say. */
export type Payer = { name: string; email: string }

type Stored = Payer & { paymentId?: string }

/** Who has begun to pay with this link on this device, or null. */
export function readPayer(token: string): Payer | null {
  const { name, email } = read(token) ?? {}
  return name === undefined || email === undefined ? null : { name, email }
}

/** Keeps who pays with this link on this device, so that they find their payment again. */
export function storePayer(token: string, payer: Payer): void {
  writeText(PAYER_PREFIX + token, JSON.stringify({ ...read(token), ...payer }))
}

/** Keeps which payment they have begun. */
export function storeBegun(token: string, paymentId: string): void {
  const payer = read(token)
  if (payer) writeText(PAYER_PREFIX + token, JSON.stringify({ ...payer, paymentId }))
}

/** The payment that was begun with this link on this device, or null. */
export function beganWith(token: string): string | null {
  return read(token)?.paymentId ?? null
}

/** Forgets who paid with this link. */
export function forgetPayer(token: string): void {
  removeText(PAYER_PREFIX + token)
}

function read(token: string): Partial<Stored> | null {
  const text = readText(PAYER_PREFIX + token)
  return text === null ? null : (JSON.parse(text) as Partial<Stored>)
}
