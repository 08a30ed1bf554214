import type { DateParts } from './basics.ts'
import { fieldId } from './step-form.tsx'
import field from '../../ui/field.module.css'
import styles from './date-boxes.module.css'
import shared from './wizard.module.css'

const BOXES = [
  { part: 'day', label: 'Day', length: 2 },
  { part: 'month', label: 'Month', length: 2 },
  { part: 'year', label: 'Year', length: 4 },
] as const

/** Day, month and year, each in its own input. `name` is the field's name in the contract. */
export function DateBoxes({
  name,
  legend,
  value,
  error,
  onChange,
}: {
  name: string
  legend: string
  value: DateParts
  error: string | undefined
  onChange: (value: DateParts) => void
}) {
  const id = fieldId(name)
  return (
    <fieldset aria-describedby={error ? `${id}-error` : undefined}>
      <legend className={field.label}>
        {legend} <span className={field.optional}>(optional)</span>
      </legend>
      <div className={styles.boxes}>
        {BOXES.map(({ part, label, length }) => (
          <label key={part} className={`small-muted ${styles[part]}`}>
            {label}
            <input
              className={field.control}
              id={part === 'day' ? id : `${id}-${part}`}
              inputMode="numeric"
              autoComplete="off"
              maxLength={length}
              aria-invalid={error ? true : undefined}
              value={value[part]}
              onChange={(event) => onChange({ ...value, [part]: event.target.value.replaceAll(/\D/gu, '') })}
            />
          </label>
        ))}
      </div>
      {error && (
        <p className={`error-text ${shared.error}`} id={`${id}-error`}>
          <span aria-hidden="true">! </span>
          {error}
        </p>
      )}
    </fieldset>
  )
}
