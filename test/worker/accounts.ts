import { randomBase32 } from '#worker/platform/random.ts'
import { Client, type Answer } from './harness.ts'
import { mailboxOf, tokenIn } from './mailbox.ts'

/** A password that may be used. */
export const PASSWORD = 'Mutare in the rain'
/** An address that nobody has. */
export const newEmail = () => `${randomBase32(12)}@family.test`

/** What the form of registration sends. */
export function registration(email: string, password = PASSWORD, firstName = 'Rudo') {
  return { email, password, firstName, lastName: 'Moyo' }
}

/** An address that waits to be confirmed. */
export async function registered(email = newEmail(), password = PASSWORD): Promise<string> {
  await new Client().post('/api/auth/register', registration(email, password))
  return email
}

/** An address that is confirmed and has this password. */
export async function confirmed(password = PASSWORD): Promise<string> {
  const email = await registered(newEmail(), password)
  const [mail] = await mailboxOf(email)
  await new Client().get(`/api/auth/verify-email/${tokenIn(mail)}`)
  return email
}

/** What somebody can tell one answer from another by. */
export function seen({ status, body, headers }: Answer) {
  return { status, body, headers: [...headers.keys()].sort() }
}
