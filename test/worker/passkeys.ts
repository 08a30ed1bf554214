import type { Passkey, PasskeyCreation, PasskeyRequest } from '#shared/accounts/passkeys.ts'
import { hashToken } from '#worker/platform/random.ts'
import { sessions } from '#worker/schema/accounts.table.ts'
import { Authenticator } from './authenticator.ts'
import type { Client } from './harness.ts'
import { changeRows } from './rows.ts'

/** The hash by which D1 and KV know a client's session. */
export const sessionHashOf = (client: Client) => hashToken(client.cookies.get('session') ?? '')

/** As if the client's user had proved `agoMs` ago that it's them. */
export async function confirmedAgo(client: Client, agoMs = 0): Promise<void> {
  await changeRows(sessions, { sessionHash: sessionHashOf(client) }, { confirmedAt: Date.now() - agoMs })
}

/** Asks what a new passkey must be made of. */
export const prepare = async (client: Client) =>
  (await client.post<PasskeyCreation>('/api/account/passkeys/prepare')).body

/** A passkey of this client's account. */
export async function passkeyOf(
  client: Client,
  authenticator = new Authenticator(),
): Promise<{ authenticator: Authenticator; passkey: Passkey }> {
  await confirmedAgo(client)
  const { status, body } = await client.post(
    '/api/account/passkeys',
    await authenticator.create(await prepare(client)),
  )
  if (status !== 201) throw new Error(`no passkey: ${JSON.stringify(body)}`)
  return { authenticator, passkey: body.passkey }
}

/** What a browser is asked for at sign-in. */
export const askToSignIn = async (client: Client) =>
  (await client.post<PasskeyRequest>('/api/auth/passkey/request')).body

/** Signs in with a passkey. */
export async function signInWith(client: Client, authenticator: Authenticator) {
  return client.post('/api/auth/passkey', await authenticator.get(await askToSignIn(client)))
}
