import {
  contactInput,
  registerInput,
  removalRequestInput,
  resetPasswordInput,
  verifyEmailInput,
} from '#shared/accounts.ts'
import { messages } from '#shared/messages.ts'
import { checkNewPassword } from './new-password.ts'
import { checkFilled, checkInput, type Problem } from '#client/lib/use-form.ts'

type Check<Name extends string> = (values: Record<Name, string>) => Problem | null

/** What a form finds wrong before it sends. The Worker checks forms that come without script by the same functions. */
export const checkLogin: Check<'email' | 'password'> = ({ email, password }) =>
  checkFilled({ email: email.trim(), password })

export const checkRegister: Check<'firstName' | 'lastName' | 'email' | 'password' | 'confirmPassword'> = (
  values,
) => checkNewPassword(registerInput, values, 'password')

export const checkForgot: Check<'email'> = ({ email }) =>
  checkFilled({ email: email.trim() }, messages.forgot.emailRequired)

export const checkReset =
  (token: string): Check<'password' | 'confirmPassword'> =>
  (values) =>
    checkNewPassword(resetPasswordInput, { token, ...values }, 'password')

export const checkVerify =
  (token: string): Check<'firstName' | 'lastName' | 'password'> =>
  ({ firstName, lastName, password }) =>
    checkFilled({ firstName: firstName.trim(), lastName: lastName.trim(), password }) ??
    checkInput(verifyEmailInput, { token, firstName, lastName, password })

export const checkContact: Check<'email' | 'subject' | 'message'> = (values) =>
  checkInput(contactInput, values, messages.form.checkFields)

export const checkRemoval: Check<'memorial' | 'reason' | 'what' | 'email'> = (values) =>
  checkInput(removalRequestInput, values, messages.form.checkFields)
