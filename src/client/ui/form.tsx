import { useEffect, useRef, type ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import type { FormState } from '#client/lib/use-form.ts'
import { Button } from './button.tsx'
import styles from './form.module.css'

/** A short form: errors, fields, one button. `beside` is rendered between the summary and the fields. */
export function Form({
  title,
  form,
  submit,
  submitting,
  variant = 'primary',
  beside,
  children,
}: {
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
          idOf={(field) => `${form.name}-${field}`}
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

/**
 * The errors of a form, shown above it. Takes the focus when it appears or has new errors, and links to each field. `errors` is by field
 * name; `idOf` returns a field's element id. A message that several fields share appears once and links to the first.
 */
export function ErrorSummary({
  errors,
  idOf,
  text = messages.form.checkFields,
  title,
}: {
  errors: Record<string, string>
  idOf: (field: string) => string
  text?: string | undefined
  /** What failed, if `text` doesn't say it. */
  title?: string | undefined
}) {
  const ref = useRef<HTMLDivElement>(null)
  const shown = useRef<Record<string, string> | null>(null)
  useEffect(() => {
    const before = shown.current
    shown.current = errors
    // Fewer errors: one was mended, and the focus stays in its field.
    const isMended = before !== null && Object.keys(errors).length < Object.keys(before).length
    if (!isMended) ref.current?.focus()
  }, [errors])
  const links = Object.entries(errors).filter(
    ([, message], index, all) => all.findIndex(([, other]) => other === message) === index,
  )
  const isListed = links.some(([, message]) => message === text)
  return (
    <div ref={ref} className={styles.summary} role="alert" tabIndex={-1}>
      {title && <p className={styles.title}>{title}</p>}
      {!isListed && <p className={title ? undefined : styles.title}>{text}</p>}
      {links.length > 0 && (
        <ul>
          {links.map(([field, message]) => (
            <li key={field}>
              <a href={`#${idOf(field)}`} onClick={(event) => focusField(event, idOf(field))}>
                {message}
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Moves the focus without changing the address, which the router would treat as a navigation. */
function focusField(event: { preventDefault: () => void }, id: string): void {
  const field = document.getElementById(id)
  if (!field) return
  event.preventDefault()
  field.focus()
}
