import * as z from 'zod/mini'
import {
  PASSWORD_MAX,
  PASSWORD_MIN,
  PERSON_NAME_MAX,
  CONTACT_MESSAGE_MAX,
  CONTACT_SUBJECT_MAX,
  REMOVAL_REQUEST_MEMORIAL_MAX,
  REMOVAL_REQUEST_WHAT_MAX,
} from './limits.ts'
import { messages } from './messages.ts'
import { codePoints, emailAddress, line, lines } from './text.ts'

const notTooLong = () =>
  z.refine<string>((value) => codePoints(value) <= PASSWORD_MAX, {
    error: messages.password.tooLong,
    params: { maxLength: PASSWORD_MAX },
  })

/** Taken exactly as typed: never trimmed or normalised (ASVS 6.2.8). */
const newPassword = () =>
  z.string(messages.form.fillAll).check(
    z.minLength(1, { error: messages.form.fillAll, abort: true }),
    z.refine((value) => codePoints(value) >= PASSWORD_MIN, {
      error: messages.password.tooShort,
      params: { minLength: PASSWORD_MIN },
      abort: true,
    }),
    notTooLong(),
  )
const currentPassword = () =>
  z.string(messages.form.fillAll).check(z.minLength(1, { error: messages.form.fillAll }), notTooLong())
const personName = () => line({ max: PERSON_NAME_MAX, required: messages.form.fillAll })

export const loginInput = z.object({ email: emailAddress(), password: currentPassword() })
export const registerInput = z.object({
  email: emailAddress(),
  password: newPassword(),
  firstName: personName(),
  lastName: personName(),
})
export const verifyEmailInput = z.object({
  token: z.string(messages.verify.invalid).check(z.minLength(1, messages.verify.invalid)),
  password: newPassword(),
  firstName: personName(),
  lastName: personName(),
})
export const emailInput = z.object({ email: emailAddress() })
const tokenOfReset = () =>
  z.string(messages.password.invalidToken).check(z.minLength(1, messages.password.invalidToken))
export const resetPasswordInput = z.object({ token: tokenOfReset(), password: newPassword() })
export const endInvitationsInput = z.object({ token: tokenOfReset() })
export const changePasswordInput = z.object({
  currentPassword: currentPassword(),
  newPassword: newPassword(),
})
export const updateAccountInput = z.object({ firstName: personName(), lastName: personName() })
export const deleteAccountInput = z.object({ password: currentPassword() })

export type LoginInput = z.output<typeof loginInput>
export type VerifyEmailInput = z.output<typeof verifyEmailInput>
export type RegisterInput = z.output<typeof registerInput>

/** Version of the terms that people accept today: the date from which it applies. */
export const TERMS_VERSION = '2025-09-29'

/** The signed-in user in API answers. */
export type User = {
  id: string
  email: string
  firstName: string
  lastName: string
  isAdmin: boolean
}

/** The contact form. */
export const contactInput = z.object({
  email: emailAddress(),
  subject: line({
    max: CONTACT_SUBJECT_MAX,
    required: messages.contact.subjectRequired,
    tooLong: messages.contact.subjectTooLong,
  }),
  message: lines({
    max: CONTACT_MESSAGE_MAX,
    required: messages.contact.messageRequired,
    tooLong: messages.contact.messageTooLong,
  }),
})
export type ContactInput = z.output<typeof contactInput>

/** Why somebody asks us to remove something, as the form offers it. */
export const REMOVAL_REASONS = ['I added it', 'It shows me', 'Something is wrong or hurts'] as const

/** The form for people without a session who ask us to remove something. */
export const removalRequestInput = z.object({
  email: emailAddress(),
  /** The address of a memorial, or the name on it. Nobody learns whether it exists. */
  memorial: line({
    max: REMOVAL_REQUEST_MEMORIAL_MAX,
    required: messages.contact.memorialRequired,
    tooLong: messages.contact.memorialTooLong,
  }),
  /** Empty if the person doesn't say. */
  reason: z.enum(['', ...REMOVAL_REASONS]),
  what: lines({
    max: REMOVAL_REQUEST_WHAT_MAX,
    required: messages.contact.whatRequired,
    tooLong: messages.contact.whatTooLong,
  }),
})
export type RemovalRequestInput = z.output<typeof removalRequestInput>

/** The request as a message of the contact form, with its limits and its way to support. */
export function toContactMessage({ email, memorial, reason, what }: RemovalRequestInput): ContactInput {
  const message = [`Memorial: ${memorial}`, ...(reason ? [`Reason: ${reason}`] : []), '', what].join('\n')
  return { email, subject: 'Please remove something', message }
}
