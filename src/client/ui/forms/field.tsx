import { useId, useState, type ComponentProps, type ReactNode } from 'react'
import { codePoints } from '#shared/code-points.ts'
import { useWithoutScript } from '#client/lib/server-rendering.ts'
import { Button } from '../button.tsx'
import styles from './field.module.css'

type FieldProps = { label: string; hint?: ReactNode; error?: string | undefined; optional?: boolean }

type ControlProps = {
  id: string
  className: string
  'aria-invalid': boolean | undefined
  'aria-describedby': string | undefined
}

/** A form field: label, hint and error, connected to the control that `children` renders. */
export function Field({
  label,
  hint,
  error,
  optional,
  id: givenId,
  children,
}: FieldProps & { id?: string | undefined; children: (control: ControlProps) => ReactNode }) {
  const ownId = useId()
  const id = givenId ?? ownId
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
        {optional && <span className={styles.optional}> (optional)</span>}
      </label>
      {hint && (
        <p className={`small-muted ${styles.hint}`} id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        className: styles.control,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': describedBy || undefined,
      })}
      {error && (
        <p className={`error-text ${styles.error}`} id={`${id}-error`}>
          <span aria-hidden="true">!</span>
          {error}
        </p>
      )}
    </div>
  )
}

/** Separates the properties of a field from those of its control. */
function splitProps<Props extends FieldProps & { id?: string | undefined }>(props: Props) {
  const { label, hint, error, optional = false, id, ...control } = props
  return { field: { label, hint, error, optional, id }, control }
}

export function TextField(props: FieldProps & ComponentProps<'input'>) {
  const { field, control } = splitProps(props)
  return <Field {...field}>{(attributes) => <input {...control} {...attributes} />}</Field>
}

/** An email input with the matching keyboard and autocomplete. */
export function EmailField(field: Omit<FieldProps, 'label'> & ComponentProps<'input'>) {
  return <TextField {...field} label="Email" type="email" autoComplete="email" autoCapitalize="none" />
}

/** Text with line breaks; `max` (code points) adds a counter of what is left. */
export function TextAreaField({
  max,
  ...props
}: FieldProps & Omit<ComponentProps<'textarea'>, 'value'> & { value: string; max?: number }) {
  const { field, control } = splitProps(props)
  return (
    <Field {...field}>
      {(attributes) => (
        <>
          <textarea {...control} {...attributes} />
          {max !== undefined && <Counter text={props.value} max={max} />}
        </>
      )}
    </Field>
  )
}

/** How many characters are left; announced at 100, 20 and 0 only. */
export function Counter({ text, max }: { text: string; max: number }) {
  const left = max - codePoints(text.trim())
  const noun = Math.abs(left) === 1 ? 'character' : 'characters'
  const words = left < 0 ? `${-left} ${noun} too many` : `${left} ${noun} left`
  const spoken = left === 100 || left === 20 || left <= 0 ? words : ''
  return (
    <p className={`small-muted ${styles.counter}`}>
      {words}
      <span className="visually-hidden" aria-live="polite">
        {spoken}
      </span>
    </p>
  )
}

export function SelectField(props: FieldProps & ComponentProps<'select'>) {
  const { field, control } = splitProps(props)
  return <Field {...field}>{(attributes) => <select {...control} {...attributes} />}</Field>
}

/** A checkbox with a hint below its label. */
export function Checkbox({
  label,
  hint,
  isChecked,
  isBusy,
  onChange,
}: {
  label: string
  hint: string
  isChecked: boolean
  isBusy?: boolean
  onChange: (isChecked: boolean) => void
}) {
  return (
    <label className={styles.checkbox}>
      <input
        type="checkbox"
        checked={isChecked}
        // Not `disabled`: that would lose the focus.
        aria-busy={isBusy}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span>
        {label}
        <span className={`small-muted ${styles.note}`}>{hint}</span>
      </span>
    </label>
  )
}

/** A password input with a button that shows the password. Pasting and password managers work. */
export function PasswordField(props: FieldProps & ComponentProps<'input'>) {
  const { field, control } = splitProps(props)
  const [shown, setShown] = useState(false)
  const isWithoutScript = useWithoutScript()
  return (
    <Field {...field}>
      {(attributes) => (
        <div className={styles.password}>
          <input
            {...control}
            {...attributes}
            type={shown ? 'text' : 'password'}
            autoCapitalize="none"
            spellCheck={false}
          />
          <Button
            className={styles.show}
            aria-pressed={shown}
            hidden={isWithoutScript}
            aria-label={`Show ${field.label.toLowerCase()}`}
            onClick={() => setShown(!shown)}
          >
            {shown ? 'Hide' : 'Show'}
          </Button>
        </div>
      )}
    </Field>
  )
}
