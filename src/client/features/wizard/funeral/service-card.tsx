import { useId, type ReactNode } from 'react'
import { zoneCity } from '#shared/dates.ts'
import { FUNERAL_NOTES_MAX } from '#shared/limits.ts'
import type { FieldErrors } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { SelectField, TextAreaField, TextField } from '#client/ui/field.tsx'
import { fieldId } from '../step-form.tsx'
import { SERVICE_TYPES, TIME_ZONES, type Service } from './services.ts'
import styles from './service-card.module.css'

/** The plain text inputs, in the usual order of an address. */
const LINES = [
  { name: 'venueName', label: 'Venue', hint: 'For example: Yeovil Cemetery' },
  { name: 'addressLine', label: 'Address', hint: undefined },
  { name: 'city', label: 'Town or city', hint: undefined },
  { name: 'region', label: 'Province or region', hint: undefined },
  { name: 'country', label: 'Country', hint: undefined },
  { name: 'postalCode', label: 'Postcode, if there is one', hint: undefined },
] as const

/** One service. `index` counts from 0; errors are keyed by field name. */
export function ServiceCard({
  service,
  index,
  errors,
  onChange,
  onRemove,
  children,
}: {
  service: Service
  index: number
  errors: FieldErrors
  onChange: (service: Service) => void
  onRemove: (() => void) | null
  children: ReactNode
}) {
  const suggestions = useId()
  const id = (name: string) => fieldId(`${index}.${name}`)
  const zones: readonly string[] = TIME_ZONES
  const offered = zones.includes(service.timeZone) ? zones : [...zones, service.timeZone]
  const set = (name: keyof Service, value: string) => onChange({ ...service, [name]: value })
  const name = service.title.trim() || `Service ${index + 1}`

  return (
    <section className={`surface ${styles.card}`} aria-label={name}>
      <div className={styles.head}>
        <h3>{name}</h3>
        {onRemove && (
          <Button variant="quiet" onClick={onRemove} aria-label={`Remove ${name}`}>
            Remove
          </Button>
        )}
      </div>
      <TextField
        id={id('title')}
        label="Type of service"
        hint="Choose one or write your own."
        list={suggestions}
        error={errors['title']}
        value={service.title}
        onChange={(event) => set('title', event.target.value)}
      />
      <datalist id={suggestions}>
        {SERVICE_TYPES.map((type) => (
          <option key={type} value={type}>
            {type}
          </option>
        ))}
      </datalist>
      <TextField
        id={id('dateTime')}
        label={`Date and time in ${zoneCity(service.timeZone)}`}
        type="datetime-local"
        error={errors['dateTime']}
        value={service.dateTime}
        onChange={(event) => set('dateTime', event.target.value)}
      />
      <SelectField
        id={id('timeZone')}
        label="Time zone"
        error={errors['timeZone']}
        value={service.timeZone}
        onChange={(event) => set('timeZone', event.target.value)}
      >
        {offered.map((zone) => (
          <option key={zone} value={zone}>
            {zoneCity(zone)}
          </option>
        ))}
      </SelectField>
      {LINES.map(({ name: field, label, hint }) => (
        <TextField
          key={field}
          id={id(field)}
          label={label}
          hint={hint}
          autoComplete="off"
          error={errors[field]}
          value={service[field]}
          onChange={(event) => set(field, event.target.value)}
        />
      ))}
      <TextAreaField
        id={id('notes')}
        label="Notes"
        hint="For example: transport leaves the house at eight."
        optional
        max={FUNERAL_NOTES_MAX}
        error={errors['notes']}
        value={service.notes}
        onChange={(event) => set('notes', event.target.value)}
      />
      {children}
    </section>
  )
}
