import { Checkbox } from '#client/ui/forms/field.tsx'
import type { DateParts } from './basics.ts'
import { fieldId } from './step-form.tsx'
import field from '../../ui/forms/field.module.css'
import styles from './date-boxes.module.css'
import shared from './wizard.module.css'

const BOXES = [
  { part: 'day', label: 'Day', length: 2 },
  { part: 'month', label: 'Month', length: 2 },
  { part: 'year', label: 'Year', length: 4 },
] as const

/**
 * Day, month and year, each in its own input; day and month may stay empty. "About" makes the year an approximate one, and
 * keeps what was typed in the other two. `name` is the field's name in the contract.
 */
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
  const isAbout = value.isAbout ?? false
  return (
    <fieldset aria-describedby={`${id}-hint${error ? ` ${id}-error` : ''}`}>
      <legend className={field.label}>
        {legend} <span className={field.optional}>(optional)</span>
      </legend>
      <p className={`small-muted ${shared.hint}`} id={`${id}-hint`}>
        If you only know the year, leave the day and month empty.
      </p>
      <div className={styles.boxes}>
        {BOXES.map(({ part, label, length }) => {
          const isUsable = part === 'year' || !isAbout
          return (
            <label key={part} className={`small-muted ${styles[part]}`}>
              {label}
              <input
                className={field.control}
                // The error summary links to the first input that can be used.
                id={part === (isAbout ? 'year' : 'day') ? id : `${id}-${part}`}
                inputMode="numeric"
                autoComplete="off"
                maxLength={length}
                aria-invalid={error && isUsable ? true : undefined}
                disabled={!isUsable}
                value={isUsable ? value[part] : ''}
                onChange={(event) =>
                  onChange({ ...value, [part]: event.target.value.replaceAll(/\D/gu, '') })
                }
              />
            </label>
          )
        })}
      </div>
      {error && (
        <p className={`error-text ${shared.error}`} id={`${id}-error`}>
          <span aria-hidden="true">! </span>
          {error}
        </p>
      )}
      <Checkbox
        label="About"
        hint={`Not sure? It will say “about ${value.year.length === 4 ? value.year : '1931'}”.`}
        isChecked={isAbout}
        onChange={(checked) => onChange({ ...value, isAbout: checked })}
      />
    </fieldset>
  )
}
