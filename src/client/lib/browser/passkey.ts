import type {
  KnownPasskey,
  NewPasskeyInput,
  PasskeyCreation,
  PasskeyInput,
  PasskeyRequest,
} from '#shared/accounts/passkeys.ts'
import { errorText } from '#client/lib/call.ts'

// Passkeys (WebAuthn) in JSON and back. Browsers do that themselves since 2024 only, and phones that families pass on are older.

/** False where the browser has no passkeys. */
export function knowsPasskeys(): boolean {
  return 'PublicKeyCredential' in window
}

/** Makes a passkey; the browser asks its user. Throws what the browser throws: see {@link passkeyError}. */
export async function makePasskey({
  user,
  excludeCredentials,
  ...asked
}: PasskeyCreation): Promise<NewPasskeyInput> {
  const publicKey = {
    ...asked,
    challenge: toBytes(asked.challenge),
    user: { ...user, id: toBytes(user.id) },
    excludeCredentials: excludeCredentials.map(toDescriptor),
  }
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
  const response = made.response as AuthenticatorAttestationResponse
  // Older browsers don't say how they reach it.
  const transports = (response as Partial<AuthenticatorAttestationResponse>).getTransports?.() ?? []
  return {
    credential: {
      ...toCredential(made),
      response: {
        clientDataJSON: toText(response.clientDataJSON),
        attestationObject: toText(response.attestationObject),
        transports,
      },
    },
  }
}

/** Asks for a passkey; the browser asks its user. Throws as {@link makePasskey}. */
export async function askForPasskey({ allowCredentials, ...asked }: PasskeyRequest): Promise<PasskeyInput> {
  const publicKey = {
    ...asked,
    challenge: toBytes(asked.challenge),
    allowCredentials: allowCredentials.map(toDescriptor),
  }
  const found = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
  const response = found.response as AuthenticatorAssertionResponse
  return {
    credential: {
      ...toCredential(found),
      response: {
        clientDataJSON: toText(response.clientDataJSON),
        authenticatorData: toText(response.authenticatorData),
        signature: toText(response.signature),
        ...(response.userHandle && { userHandle: toText(response.userHandle) }),
      },
    },
  }
}

/** What to say about a failure: the server's words, or what the browser's error means. */
export function passkeyError(error: unknown): string {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError' || name === 'AbortError') {
    return 'It was cancelled, or it took too long. You can try again.'
  }
  if (name === 'InvalidStateError') return 'This device has a passkey for your account already.'
  return errorText(error, 'This browser couldn’t use a passkey here. Your password still works.')
}

function toCredential({ id, rawId }: PublicKeyCredential) {
  return { id, rawId: toText(rawId), type: 'public-key' as const }
}

function toDescriptor({ id, type, transports }: KnownPasskey) {
  return { type, id: toBytes(id), transports: transports as AuthenticatorTransport[] }
}

function toBytes(base64url: string): Uint8Array<ArrayBuffer> {
  const base64 = base64url.replaceAll('-', '+').replaceAll('_', '/')
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

function toText(bytes: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
