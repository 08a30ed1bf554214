import { useEffect, useRef, useState, type ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import { useHydrated } from '#client/lib/server-rendering.ts'
import type { FormState } from '#client/lib/use-form.ts'
import { Button } from '../button.tsx'
import styles from './form.module.css'

/**
 * A short form: errors, fields, one button. `beside` is rendered between the summary and the fields. Without script the
 * browser posts it to the page's own address: `src/worker/pages/form-posts.ts`.
 */
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
      <form method="post" noValidate onSubmit={form.onSubmit}>
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
 * name; `idOf` returns a field's element id, `labelOf` what its message lacks: which date, which card. A message that several fields share appears once and links to the first.
 */
export function ErrorSummary({
  errors,
  idOf,
  labelOf,
  text = messages.form.checkFields,
  title,
}: {
  errors: Record<string, string>
  idOf: (field: string) => string
  labelOf?: ((field: string) => string | undefined) | undefined
  text?: string | undefined
  /** What failed, if `text` doesn't say it. */
  title?: string | undefined
}) {
  const ref = useRef<HTMLDivElement>(null)
  const shown = useRef<Record<string, string> | null>(null)
  const isHydrated = useHydrated()
  const [isWritten] = useState(!isHydrated)
  useEffect(() => {
    const before = shown.current
    shown.current = errors
    // The server has written these, and the focus is already in a field.
    if (isWritten && before === null) return
    // Fewer errors: one was mended, and the focus stays in its field.
    const isMended = before !== null && Object.keys(errors).length < Object.keys(before).length
    if (isMended) return
    for (const field of document.querySelectorAll('details:not([open]) [aria-invalid]')) reveal(field)
    ref.current?.focus()
  }, [errors, isWritten])
  const links = new Map<string, string>()
  for (const [field, message] of Object.entries(errors)) {
    const label = labelOf?.(field)
    const words = label ? `${label}: ${message}` : message
    if (!links.has(words)) links.set(words, idOf(field))
  }
  const isListed = Object.values(errors).includes(text)
  return (
    <div ref={ref} className={styles.summary} role="alert" tabIndex={-1}>
      {title && <p className={styles.title}>{title}</p>}
      {!isListed && <p className={title ? undefined : styles.title}>{text}</p>}
      {links.size > 0 && (
        <ul>
          {[...links].map(([words, id]) => (
            <li key={id}>
              <a href={`#${id}`} onClick={(event) => focusField(event, id)}>
                {words}
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
  reveal(field)
  field.focus()
}

/** Opens the disclosure that hides a field. */
function reveal(field: Element): void {
  const closed = field.closest<HTMLDetailsElement>('details:not([open])')
  if (closed) closed.open = true
}
