import { useId, useState, type ReactNode } from 'react'
import { zoneCity } from '#shared/dates.ts'
import { KIND_NAME, LATER_KINDS, SERVICE_KINDS, type GatheringKind } from '#shared/funeral/gatherings.ts'
import { FUNERAL_EVENTS_MAX, LATER_GATHERINGS_MAX } from '#shared/limits.ts'
import type { FieldErrors } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { Disclosures } from '#client/ui/disclosure.tsx'
import { Checkbox, SelectField, TextField } from '#client/ui/forms/field.tsx'
import { inputProps, type CardProps, type TextName } from './card-field.ts'
import { FromAfar, GettingThere, ForGuests, WhoIsComing } from './card-more.tsx'
import { zoneOf } from './place-zone.ts'
import { isUnnamed, movedEnd, type Full, type Service } from './services.ts'
import styles from './service-card.module.css'

const KIND_CHOICES: Partial<Record<GatheringKind, string>> = {
  OTHER: 'Another service',
  OTHER_LATER: 'Another gathering',
}
/** Suggestions only: any other name is allowed. */
const NAMES = {
  OTHER: ['Vigil', 'Prayers at home', 'Meal after the burial'],
  OTHER_LATER: ['Kurova guva', 'Umbuyiso', 'Prayers'],
} as const

/** One gathering: what everybody needs to know of it, and more behind disclosures. */
export function ServiceCard({
  service,
  name,
  full,
  errors,
  onChange,
  onRemove,
  children,
}: {
  service: Service
  name: string
  full: Full
  /** By field name. */
  errors: FieldErrors
  onChange: (service: Service) => void
  onRemove: (() => void) | null
  children: ReactNode
}) {
  /** The time zone follows the place until the user chooses another. */
  const [isZoneChosen, setZoneChosen] = useState(() => {
    const zone = zoneOf(service)
    return zone !== null && zone !== service.timeZone
  })
  /** The last whole date and time: while it is being typed there is none. */
  const [start, setStart] = useState(service.dateTime)

  const change: CardProps['change'] = (changed, value) => {
    const next = { ...service, [changed]: value }
    if (changed === 'timeZone') setZoneChosen(true)
    const zone = changed === 'country' || changed === 'city' ? zoneOf(next) : null
    if (zone !== null && !isZoneChosen) next.timeZone = zone
    if (changed === 'dateTime' && next.dateTime !== '') {
      for (const end of ['endDateTime', 'repliesUntil'] as const)
        next[end] = movedEnd(next[end], service.dateTime || start, next.dateTime)
      setStart(next.dateTime)
    }
    onChange(next)
  }
  const card = { service, errors, change }
  const field = (of: TextName) => inputProps(card, of)
  const city = zoneCity(service.timeZone)

  return (
    <section className={`surface ${styles.card}`} aria-label={name}>
      <div className={`row spread ${styles.head}`}>
        <h3>
          {name}
          {service.isCancelled && (
            <>
              {' '}
              <span className={styles.cancelled}>Cancelled</span>
            </>
          )}
        </h3>
        {onRemove && (
          <Button variant="quiet" onClick={onRemove} aria-label={`Remove ${name}`}>
            Remove
          </Button>
        )}
      </div>
      <SelectField {...field('kind')} label="Kind of gathering" hint={kindHint(service)}>
        {service.kind === '' && <option value="">Choose one</option>}
        <Kinds
          label="The funeral"
          kinds={SERVICE_KINDS}
          max={FUNERAL_EVENTS_MAX}
          full={full.services}
          of={service}
        />
        <Kinds
          label="Later gatherings"
          kinds={LATER_KINDS}
          max={LATER_GATHERINGS_MAX}
          full={full.later}
          of={service}
        />
      </SelectField>
      {service.kind !== '' && isUnnamed(service.kind) && (
        <Named {...field('title')} names={NAMES[service.kind]} />
      )}
      <TextField {...field('dateTime')} label={`Date and time in ${city}`} type="datetime-local" />
      <TextField
        {...field('endDateTime')}
        label="Ends"
        optional
        type="datetime-local"
        min={service.dateTime || undefined}
      />
      <TextField
        {...field('venueName')}
        label="Venue"
        hint="For example: Yeovil Cemetery"
        autoComplete="off"
      />
      <TextField {...field('city')} label="Town or city" autoComplete="off" />
      <TextField {...field('country')} label="Country" autoComplete="off" />
      {zoneOf(service) !== service.timeZone && (
        <p className={`small-muted ${styles.zone}`}>
          The time is {city} time. You can choose another time zone under “Getting there”.
        </p>
      )}
      <Disclosures>
        <GettingThere {...card} />
        <ForGuests {...card} />
        <FromAfar {...card} />
        <WhoIsComing {...card} />
      </Disclosures>
      <div className={styles.programme}>{children}</div>
      {service.id !== null && (
        <Checkbox
          label="This gathering is cancelled"
          hint="It stays on the page, marked as cancelled. Untick this if it takes place after all. To take it off the page, press Remove."
          isChecked={service.isCancelled}
          onChange={(isCancelled) => change('isCancelled', isCancelled)}
        />
      )}
    </section>
  )
}

function kindHint({ kind, title }: Service): string | false {
  if (kind === '') return `If you don’t choose one, it’s called “${KIND_NAME.OTHER}”. You can do it later.`
  if (isUnnamed(kind) || title.trim() === '') return false
  return `It’s called “${title.trim()}”. You can change that under “For guests”.`
}

/** The kinds of one sort. A card can't become one of a sort that is full. */
function Kinds({
  label,
  kinds,
  max,
  full,
  of: { kind },
}: {
  label: string
  kinds: readonly GatheringKind[]
  max: number
  full: boolean
  of: Service
}) {
  const isOfSort = kinds.some((own) => own === (kind === '' ? 'OTHER' : kind))
  return (
    <optgroup label={full ? `${label} (at most ${max})` : label} disabled={full && !isOfSort}>
      {kinds.map((value) => (
        <option key={value} value={value}>
          {KIND_CHOICES[value] ?? KIND_NAME[value]}
        </option>
      ))}
    </optgroup>
  )
}

function Named({ names, ...field }: ReturnType<typeof inputProps> & { names: readonly string[] }) {
  const suggestions = useId()
  return (
    <>
      <TextField
        {...field}
        label="What it’s called"
        hint={`For example: ${names.join(', ')}`}
        optional
        list={suggestions}
        autoComplete="off"
      />
      <datalist id={suggestions}>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  )
}
