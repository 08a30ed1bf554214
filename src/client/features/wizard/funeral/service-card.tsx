import { useId, useState, type ReactNode } from 'react'
import { zoneCity } from '#shared/dates.ts'
import { FUNERAL_NOTES_MAX } from '#shared/limits.ts'
import type { FieldErrors } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { SelectField, TextAreaField, TextField } from '#client/ui/field.tsx'
import { fieldId } from '../step-form.tsx'
import { zoneOf } from './place-zone.ts'
import { nameOf, SERVICE_TYPES, TIME_ZONES, type Service } from './services.ts'
import styles from './service-card.module.css'

/** The plain text inputs, in the usual order of an address. */
const LINES = [
  { name: 'venueName', label: 'Venue', hint: 'For example: Yeovil Cemetery' },
  { name: 'addressLine', label: 'Address' },
  { name: 'city', label: 'Town or city' },
  { name: 'region', label: 'Province or region' },
  { name: 'country', label: 'Country' },
  { name: 'postalCode', label: 'Postcode, if there is one' },
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
  /** The time zone follows the place until the user chooses another. */
  const [isZoneChosen, setZoneChosen] = useState(() => {
    const zone = zoneOf(service)
    return zone !== null && zone !== service.timeZone
  })
  function change(name: Exclude<keyof Service, 'id' | 'key'>, value: string) {
    const next = { ...service, [name]: value }
    if (name === 'timeZone') setZoneChosen(true)
    const zone = name === 'country' || name === 'city' ? zoneOf(next) : null
    onChange(zone === null || isZoneChosen ? next : { ...next, timeZone: zone })
  }
  /** The properties of one field's input. */
  const field = (name: Exclude<keyof Service, 'id' | 'key'>) => ({
    id: fieldId(`${index}.${name}`),
    error: errors[name],
    value: service[name],
    onChange: (event: { target: { value: string } }) => change(name, event.target.value),
  })
  const zones: readonly string[] = TIME_ZONES
  const offered = zones.includes(service.timeZone) ? zones : [...zones, service.timeZone]
  const name = nameOf(service, index)

  return (
    <section className={`surface ${styles.card}`} aria-label={name}>
      <div className={`row spread ${styles.head}`}>
        <h3>{name}</h3>
        {onRemove && (
          <Button variant="quiet" onClick={onRemove} aria-label={`Remove ${name}`}>
            Remove
          </Button>
        )}
      </div>
      <TextField
        {...field('title')}
        label="Type of service"
        hint="Choose one or write your own."
        list={suggestions}
      />
      <datalist id={suggestions}>
        {SERVICE_TYPES.map((type) => (
          <option key={type} value={type}>
            {type}
          </option>
        ))}
      </datalist>
      <TextField
        {...field('dateTime')}
        label={`Date and time in ${zoneCity(service.timeZone)}`}
        type="datetime-local"
      />
      <SelectField
        {...field('timeZone')}
        label="Time zone"
        hint="It follows the country. You can choose another."
      >
        {offered.map((zone) => (
          <option key={zone} value={zone}>
            {zoneCity(zone)}
          </option>
        ))}
      </SelectField>
      {LINES.map(({ name: line, ...texts }) => (
        <TextField key={line} {...field(line)} {...texts} autoComplete="off" />
      ))}
      <TextAreaField
        {...field('notes')}
        label="Notes"
        hint="For example: transport leaves the house at eight."
        optional
        max={FUNERAL_NOTES_MAX}
      />
      {children}
    </section>
  )
}
