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

/** Registers an address and leaves it unconfirmed. */
export async function registered(email = newEmail(), password = PASSWORD): Promise<string> {
  await new Client().post('/api/auth/register', registration(email, password))
  return email
}

/** Registers and confirms an address with this password. */
export async function confirmed(password = PASSWORD): Promise<string> {
  const email = await registered(newEmail(), password)
  const [mail] = await mailboxOf(email)
  await new Client().get(`/api/auth/verify-email/${tokenIn(mail)}`)
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
