import { env } from 'cloudflare:test'
import { hashToken, randomBase32 } from '#worker/platform/random.ts'
import { Client } from './harness.ts'
import { mailboxOf, tokenIn } from './mailbox.ts'

/** A valid password. */
export const PASSWORD = 'Mutare in the rain'
/** An address without an account. */
export const newEmail = () => `${randomBase32(12)}@family.test`

/** The body of the registration form. */
export function registration(email: string, password = PASSWORD, firstName = 'Rudo') {
  return { email, password, firstName, lastName: 'Moyo' }
}

/** Registers an address in this browser and leaves it unconfirmed. */
export async function registered(
  email = newEmail(),
  password = PASSWORD,
  client = new Client(),
): Promise<string> {
  const { status, body } = await client.post('/api/auth/register', registration(email, password))
  if (status !== 201) throw new Error(`not registered: ${JSON.stringify(body)}`)
  return email
}

/** Registers an address in a browser of its own, and reads the link that was mailed, the `nth` mail to this address. */
export async function attempt(email: string, password = PASSWORD, nth = 1) {
  const client = new Client()
  await registered(email, password, client)
  return { client, token: tokenIn((await mailboxOf(email, nth))[0]) }
}

/** Opens the link of a verification mail. */
export const openLink = (client: Client, token: string) => client.get(`/api/auth/verify-email/${token}`)

/** Confirms an address by its link alone, with a name and a password. */
export const verifyWith = (token: string, password: string, firstName = 'Rudo') =>
  new Client().post('/api/auth/verify-email', { token, password, firstName, lastName: 'Moyo' })

/** Registers and confirms an address with this password. */
export async function confirmed(password = PASSWORD): Promise<string> {
  const email = newEmail()
  const { client, token } = await attempt(email, password)
  await openLink(client, token)
  return email
}

export type StoredSession = { userId: string; epoch: number; createdAt: number; renewedAt: number }

function keyOf(client: Client): string {
  return `session:${hashToken(client.cookies.get('session') ?? '')}`
}

/** The KV value of a client's session. */
export async function sessionOf(client: Client): Promise<StoredSession> {
  const stored = await env.KV.get<StoredSession>(keyOf(client), 'json')
  if (!stored) throw new Error('KV holds no session of this client')
  return stored
}

/** Replaces a client's stored session, for example to make it older. */
export async function storeSession(client: Client, session: StoredSession): Promise<void> {
  await env.KV.put(keyOf(client), JSON.stringify(session))
}
