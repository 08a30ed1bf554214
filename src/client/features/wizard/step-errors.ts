import { ApiError, errorFields, errorText } from '#client/lib/call.ts'
import type { FieldErrors } from '#client/lib/form-errors.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'

/** The errors of a step. */
export type StepErrors = {
  text?: string
  fields: FieldErrors
  /** Show the errors only at the fields, without a summary at the top. */
  isInline?: boolean
  /** The session has ended: the user must sign in again before anything can be saved. */
  isSignedOut?: boolean
}

/** Shows a toast that saving failed, and returns the errors for the step to show. */
export function failStep(title: string, error: unknown, fallback: string): StepErrors {
  const text = errorText(error, fallback)
  showErrorToast(title, text)
  return {
    text,
    fields: errorFields(error),
    isSignedOut: error instanceof ApiError && error.status === 401,
  }
}

/** Element id of a field of the step, for links in the error summary. */
export function fieldId(name: string): string {
  return `wizard-${name.replaceAll('.', '-')}`
}
