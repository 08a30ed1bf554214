import * as z from 'zod/mini'
import {
  CHANGE_EMAIL_FIELDS,
  CHANGE_PASSWORD_FIELDS,
  CONTACT_FIELDS,
  EMAIL_LINK_FIELDS,
  LOGIN_FIELDS,
  PERSON_FIELDS,
  REGISTER_FIELDS,
  RESET_FIELDS,
  VERIFY_FIELDS,
} from '../fields.ts'
import { DASHBOARD_MAX, PRINTED_CODE_TYPED_MAX } from '../limits.ts'
import { line, text, texts } from '../text.ts'

export const loginInput = z.object(texts(LOGIN_FIELDS))
export const registerInput = z.object(texts(REGISTER_FIELDS))
export const verifyEmailInput = z.object(texts(VERIFY_FIELDS))
export const emailInput = z.object({ email: text(LOGIN_FIELDS.email) })
export const resetPasswordInput = z.object(texts(RESET_FIELDS))
export const endInvitationsInput = z.object({ token: text(RESET_FIELDS.token) })
export const changePasswordInput = z.object(texts(CHANGE_PASSWORD_FIELDS))
export const changeEmailInput = z.object({
  email: text(CHANGE_EMAIL_FIELDS.email),
  password: text(CHANGE_EMAIL_FIELDS.password),
  /** A printed code stands for the old mailbox; empty without one. */
  code: z._default(line({ max: PRINTED_CODE_TYPED_MAX }), ''),
})
export const emailLinkInput = z.object(texts(EMAIL_LINK_FIELDS))
export const updateAccountInput = z.object(texts(PERSON_FIELDS))
export const deleteAccountInput = z.object({
  password: text(LOGIN_FIELDS.password),
  /** What becomes of the memorials that keepers look after: each goes to a keeper, or is deleted with the account (null). */
  memorials: z._default(
    z
      .array(z.object({ memorialId: z.string(), keeperId: z.nullable(z.string()) }))
      .check(z.maxLength(DASHBOARD_MAX)),
    [],
  ),
})

export type DeleteAccountInput = z.output<typeof deleteAccountInput>
export type LoginInput = z.output<typeof loginInput>
export type VerifyEmailInput = z.output<typeof verifyEmailInput>
export type RegisterInput = z.output<typeof registerInput>

/** The signed-in user in API answers. */
export type User = {
  id: string
  email: string
  firstName: string
  lastName: string
  isAdmin: boolean
}

/** A session of the account, without anything that could be used as one. */
export type AccountSession = {
  id: string
  /** `Chrome on Android`, as it was at sign-in; null if unknown. */
  device: string | null
  /** `Zimbabwe`, as it was at sign-in; null if unknown. */
  country: string | null
  /** An instant. */
  signedInAt: string
  /** The last day, week or month: no finer. */
  lastUsed: 'DAY' | 'WEEK' | 'MONTH'
  /** The session that asks. */
  isCurrent: boolean
}

/** The contact form. */
export const contactInput = z.object(texts(CONTACT_FIELDS))
export type ContactInput = z.output<typeof contactInput>
