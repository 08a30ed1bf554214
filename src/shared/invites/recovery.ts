import * as z from 'zod/mini'
import type { ContributorSession } from './invites.ts'
import { CODE_DIGITS } from '../limits.ts'
import { recoveryMessages } from './recovery-messages.ts'
import { emailAddress } from '../text.ts'

/** An empty address: they don't want to leave one, or no longer. */
export const addressInput = z.object({ email: z.union([z.literal(''), emailAddress()]) })
export const codeRequestInput = z.object({ email: emailAddress() })

const CODE = new RegExp(`^[0-9]{${CODE_DIGITS}}$`, 'u')
/** `contributorId`: one of the people whom the call has named before, because several left the same address. */
export const codeInput = z.object({
  code: z.string(recoveryMessages.codeInvalid).check(
    // People type it as they read it.
    z.overwrite((code) => code.replaceAll(/[\s\p{Pd}]/gu, '')),
    z.regex(CODE, recoveryMessages.codeInvalid),
  ),
  contributorId: z.optional(z.string()),
})

/** Who left the address to which the code went, newest first. */
export type RecoverablePerson = { contributorId: string; displayName: string }
/** The session, or the people to choose from: the code works once more. */
export type Recovered = { session: ContributorSession } | { people: RecoverablePerson[] }
