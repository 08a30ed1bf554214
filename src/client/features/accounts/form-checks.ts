import {
  CONTACT_FIELDS,
  PRINTED_CODE_FIELDS,
  REGISTER_FIELDS,
  RESET_FIELDS,
  VERIFY_FIELDS,
} from '#shared/fields.ts'
import { messages } from '#shared/messages.ts'
import { REMOVAL_REQUEST_FIELDS } from '#shared/removal/removal-requests.ts'
import { checkFields, checkFilled, type Problem } from '#client/lib/use-form.ts'
import { checkNewPassword } from './new-password.ts'

type Check<Name extends string> = (values: Record<Name, string>) => Problem | null

/** What a form finds wrong before it sends. The Worker checks forms that come without script by the same functions. */
export const checkLogin: Check<'email' | 'password'> = ({ email, password }) =>
  checkFilled({ email: email.trim(), password })

export const checkRegister: Check<'firstName' | 'lastName' | 'email' | 'password' | 'confirmPassword'> = (
  values,
) => checkNewPassword(REGISTER_FIELDS, values, 'password')

export const checkForgot: Check<'email'> = ({ email }) =>
  checkFilled({ email: email.trim() }, messages.forgot.emailRequired)

export const checkReset =
  (token: string): Check<'password' | 'confirmPassword'> =>
  (values) =>
    checkNewPassword(RESET_FIELDS, { token, ...values }, 'password')

export const checkPrintedCode: Check<'email' | 'code' | 'password'> = (values) =>
  checkFilled({ ...values, email: values.email.trim(), code: values.code.trim() }) ??
  checkFields(PRINTED_CODE_FIELDS, values)

export const checkVerify =
  (token: string): Check<'firstName' | 'lastName' | 'password'> =>
  ({ firstName, lastName, password }) =>
    checkFilled({ firstName: firstName.trim(), lastName: lastName.trim(), password }) ??
    checkFields(VERIFY_FIELDS, { token, firstName, lastName, password })

export const checkContact: Check<'email' | 'subject' | 'message'> = (values) =>
  checkFields(CONTACT_FIELDS, values, messages.form.checkFields)

export const checkRemoval: Check<'memorial' | 'reason' | 'what' | 'email'> = (values) =>
  checkFields(REMOVAL_REQUEST_FIELDS, values, messages.form.checkFields)
