import { Buffer } from 'node:buffer'
import type { NewPasskeyInput, PasskeyInput } from '#shared/accounts/passkeys.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import type { passkeys } from '#worker/schema/passkeys.table.ts'

/** EdDSA, ES256 and RS256 (IANA's COSE algorithms): what phones, computers and security keys sign with. */
export const ALGORITHMS = [-8, -7, -257]

/** The host of PUBLIC_ORIGIN: passkeys of this site are for it, and for no other. */
export function relyingParty(ctx: Ctx): { id: string; origin: string } {
  const { origin, hostname } = new URL(ctx.env.PUBLIC_ORIGIN)
  return { id: hostname, origin }
}

type Verified = Pick<typeof passkeys.$inferSelect, 'credentialId' | 'publicKey' | 'counter'>

/** What is stored of a new passkey, or null if it doesn't fit this site and this challenge, or its device didn't check who is there. */
export async function verifyNewPasskey(
  ctx: Ctx,
  { credential }: NewPasskeyInput,
  expectedChallenge: string,
): Promise<Verified | null> {
  // Loaded when needed: other calls don't need its certificates.
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const { id, origin } = relyingParty(ctx)
  const checked = await orNull(ctx, () =>
    verifyRegistrationResponse({
      response: {
        ...credential,
        response: { ...credential.response, transports: [] },
        clientExtensionResults: {},
      },
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  )
  if (!checked?.verified) return null
  const { id: credentialId, publicKey, counter } = checked.registrationInfo.credential
  return { credentialId, publicKey: Buffer.from(publicKey).toString('base64url'), counter }
}

/**
 * The passkey's new counter, or null if its answer doesn't fit this site, this challenge or its key, its device didn't check who is there,
 * or it has counted backwards: then two devices have the key.
 */
export async function verifyPasskey(
  ctx: Ctx,
  { credential }: PasskeyInput,
  expectedChallenge: string,
  known: Verified,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const { id, origin } = relyingParty(ctx)
  const { clientDataJSON, authenticatorData, signature } = credential.response
  const checked = await orNull(ctx, () =>
    verifyAuthenticationResponse({
      response: {
        ...credential,
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: {
        id: known.credentialId,
        publicKey: Uint8Array.from(Buffer.from(known.publicKey, 'base64url')),
        counter: known.counter,
      },
    }),
  )
  return checked?.verified ? checked.authenticationInfo.newCounter : null
}

/** The library throws whatever is wrong with what a browser sent. */
async function orNull<T>(ctx: Ctx, check: () => Promise<T>): Promise<T | null> {
  try {
    return await check()
  } catch (error) {
    // Only its kind: the message repeats what was sent.
    ctx.log.info('passkey_refused', { kind: error instanceof Error ? error.name : 'unknown' })
    return null
  }
}
