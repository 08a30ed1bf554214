import * as z from 'zod/mini'
import { PRINTED_CODE_FIELDS } from '../fields.ts'
import { PASSKEY_NAME_MAX } from '../limits.ts'
import { passkeyMessages } from './passkey-messages.ts'
import { line, texts } from '../text.ts'

/** Bytes in base64url, of as many characters at most. */
function bytes(max: number) {
  return z
    .string(passkeyMessages.notUnderstood)
    .check(
      z.regex(/^[\w-]*$/u, passkeyMessages.notUnderstood),
      z.maxLength(max, passkeyMessages.notUnderstood),
    )
}

const credential = {
  id: bytes(1400),
  rawId: bytes(1400),
  type: z.literal('public-key', passkeyMessages.notUnderstood),
}

/** A new passkey as the browser hands it over (WebAuthn, RegistrationResponseJSON). */
export const newPasskeyInput = z.object({
  credential: z.object({
    ...credential,
    response: z.object({
      clientDataJSON: bytes(4000),
      attestationObject: bytes(20_000),
      transports: z._default(z.array(z.string().check(z.maxLength(20))).check(z.maxLength(10)), []),
    }),
  }),
})

/** The answer of a passkey to a question (WebAuthn, AuthenticationResponseJSON). */
export const passkeyInput = z.object({
  credential: z.object({
    ...credential,
    response: z.object({
      clientDataJSON: bytes(4000),
      authenticatorData: bytes(4000),
      signature: bytes(4000),
      userHandle: z.optional(bytes(200)),
    }),
  }),
})
export type NewPasskeyInput = z.output<typeof newPasskeyInput>
export type PasskeyInput = z.output<typeof passkeyInput>

export const passkeyNameInput = z.object({
  name: line({ max: PASSKEY_NAME_MAX, required: passkeyMessages.nameRequired }),
})
export const confirmInput = z.object({ password: z.string(passkeyMessages.notUnderstood) })

/** An address and one of its printed codes stand for mailbox and password; the password is a new one. */
export const printedCodeInput = z.object(texts(PRINTED_CODE_FIELDS))
export type PrintedCodeInput = z.output<typeof printedCodeInput>

/** A code of an authenticator app: people type it as they read it. */
export const appCodeInput = z.object({
  code: z.string(passkeyMessages.wrongAppCode).check(
    z.overwrite((code) => code.replaceAll(/[\s\p{Pd}]/gu, '')),
    z.regex(/^\d{6}$/u, passkeyMessages.wrongAppCode),
  ),
})

/** A passkey that a browser may be asked for, or must not add again. */
export type KnownPasskey = { type: 'public-key'; id: string; transports: string[] }

/** What a browser needs to make a passkey (WebAuthn, PublicKeyCredentialCreationOptionsJSON). */
export type PasskeyCreation = {
  challenge: string
  rp: { id: string; name: string }
  user: { id: string; name: string; displayName: string }
  pubKeyCredParams: { type: 'public-key'; alg: number }[]
  timeout: number
  excludeCredentials: KnownPasskey[]
  authenticatorSelection: {
    residentKey: 'required'
    requireResidentKey: true
    userVerification: 'required'
  }
  attestation: 'none'
}

/** What a browser needs to ask for a passkey (WebAuthn, PublicKeyCredentialRequestOptionsJSON). Without any named, for all of this site. */
export type PasskeyRequest = {
  challenge: string
  rpId: string
  timeout: number
  allowCredentials: KnownPasskey[]
  userVerification: 'required'
}

/** A passkey in its owner's list. Instants. */
export type Passkey = { id: string; name: string; addedAt: string; lastUsedAt: string | null }

/** How an account can be opened besides its password. */
export type AccountKeys = {
  passkeys: Passkey[]
  /** How many of the printed codes nobody has used; null without any. An instant. */
  printedCodes: { left: number; madeAt: string } | null
  /** The authenticator app of an admin. An instant. */
  authenticator: { addedAt: string } | null
  /** What the user must prove before anything here changes; null: nothing. */
  missing: MissingProof | null
}
/** `CONFIRMATION`: password or passkey, minutes ago. `SECOND_FACTOR`: an admin's passkey or authenticator app. */
export type MissingProof = 'CONFIRMATION' | 'SECOND_FACTOR'

/** Shown once. `secret` is for typing (Base32), `qrSvg` for the app's camera. */
export type NewAuthenticator = { secret: string; qrSvg: string }
