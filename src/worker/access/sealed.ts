import { Buffer } from 'node:buffer'
import { requirePepper } from '#worker/access/pepper.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { keyedHash } from '#worker/platform/keyed-hash.ts'

const IV_BYTES = 12

/**
 * A secret that we must be able to read again, encrypted (AES-256-GCM) with a key that is made of the pepper for this purpose and owner:
 * it can't be read in the database, nor moved to another row.
 */
export async function seal(ctx: Ctx, purpose: string, ownerId: string, secret: Uint8Array): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const key = await keyFor(requirePepper(ctx), purpose, ownerId)
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, secret)
  return Buffer.concat([iv, Buffer.from(sealed)]).toString('base64url')
}

/** What {@link seal} sealed, also with the previous pepper; null for anything else. */
export async function unseal(
  ctx: Ctx,
  purpose: string,
  ownerId: string,
  sealed: string,
): Promise<{ secret: Buffer; isOutdated: boolean } | null> {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length <= IV_BYTES) return null
  const [iv, body] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES)]
  const peppers = [requirePepper(ctx), ctx.env.PASSWORD_PEPPER_OLD]
  for (const [at, pepper] of peppers.entries()) {
    if (!pepper) continue
    const key = await keyFor(pepper, purpose, ownerId)
    try {
      const secret = Buffer.from(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, body))
      return { secret, isOutdated: at > 0 }
    } catch {
      // Not by this pepper, or not by us: AES-GCM says no more.
      continue
    }
  }
  return null
}

async function keyFor(pepper: string, purpose: string, ownerId: string): Promise<CryptoKey> {
  const bytes = Uint8Array.from(keyedHash(pepper, purpose, [ownerId]))
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
}
