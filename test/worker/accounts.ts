import { randomBase32 } from '#worker/platform/random.ts'
import { Client, type Answer } from './harness.ts'
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

/** Everything by which a caller could distinguish two answers. */
export function seen({ status, body, headers }: Answer) {
  return { status, body, headers: [...headers.keys()].sort() }
}
