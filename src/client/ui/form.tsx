import type { ReactNode } from 'react'
import type { FormState } from '#client/lib/use-form.ts'
import { Button } from './button.tsx'
import { ErrorSummary } from './error-summary.tsx'

/**
 * A short form: errors, fields, one button. A field's element id is `${name}-${field}`, which the summary links to.
 * `beside` is rendered between the summary and the fields.
 */
export function Form({
  name,
  title,
  form,
  submit,
  submitting,
  variant = 'primary',
  beside,
  children,
}: {
  name: string
  /** Title of the error summary: what failed. */
  title: string
  form: FormState
  submit: string
  submitting: string
  variant?: 'primary' | 'danger'
  beside?: ReactNode
  children: ReactNode
}) {
  return (
    <>
      {form.problem && (
        <ErrorSummary
          title={title}
          text={form.problem.text}
          errors={form.problem.fields}
          idOf={(field) => `${name}-${field}`}
        />
      )}
      {beside}
      <form noValidate onSubmit={form.onSubmit}>
        {children}
        <Button type="submit" variant={variant} wide disabled={form.busy}>
          {form.busy ? submitting : submit}
        </Button>
      </form>
    </>
  )
}
