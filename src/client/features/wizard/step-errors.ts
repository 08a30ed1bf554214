import { ApiError, errorFields, errorText } from '#client/lib/call.ts'
import type { FieldErrors } from '#client/lib/form-errors.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'

/** What is wrong with a step. */
export type StepErrors = {
  text?: string
  fields: FieldErrors
  /** Said at the fields alone, without a summary at the top. */
  isInPlace?: boolean
  /** The session has ended: the family must sign in again before anything is saved. */
  isSignedOut?: boolean
}

/** Tells in a notification that saving failed, and answers what the step shows of it. */
export function failStep(title: string, error: unknown, fallback: string): StepErrors {
  const text = errorText(error, fallback)
  showErrorToast(title, text)
  return {
    text,
    fields: errorFields(error),
    isSignedOut: error instanceof ApiError && error.status === 401,
  }
}

/** Element id of a field of the step, for the summary's links. */
export function fieldId(name: string): string {
  return `wizard-${name.replaceAll('.', '-')}`
}
