import { formatCalendarDate, zoneCity } from '#shared/dates.ts'
import type { Audience, ContactFor } from '#shared/funeral/funeral.ts'
import { KIND_NAME } from '#shared/funeral/gatherings.ts'
import { BRING_MAX, DAY_MS, FUNERAL_NOTES_MAX, REPLIES_KEPT_MS, WAY_THERE_MAX } from '#shared/limits.ts'
import { Disclosure } from '#client/ui/disclosure.tsx'
import { Checkbox, SelectField, TextAreaField, TextField } from '#client/ui/forms/field.tsx'
import { MapLinkField, PlaceOnMap } from '../location/map-link-field.tsx'
import { inputProps, type CardProps, type TextName } from './card-field.ts'
import { TIME_ZONES } from './place-zone.ts'
import { isUnnamed, type Service } from './services.ts'

const CONTACT_SEEN_BY: Record<ContactFor, string> = {
  FAMILY: 'Only the family',
  INVITED: 'People we invite',
  EVERYBODY: 'Everybody who sees the memorial',
}
const SEEN_BY: Record<Audience, string> = {
  EVERYBODY: 'Everybody who sees the memorial',
  INVITED: 'Only people we invite',
}
const LINK = { type: 'url', inputMode: 'url', autoCapitalize: 'none', autoComplete: 'off' } as const

/** What a closed disclosure says of its content: the names of the fields that have something. */
function filled(service: Service, names: Partial<Record<TextName, string>>): string {
  const all = Object.entries(names) as [TextName, string][]
  return all.flatMap(([name, word]) => (service[name].trim() === '' ? [] : [word])).join(', ')
}

/** Address, directions and time zone. */
export function GettingThere(card: CardProps) {
  const { service } = card
  const zones: readonly string[] = TIME_ZONES
  const offered = zones.includes(service.timeZone) ? zones : [...zones, service.timeZone]
  const note = filled(service, {
    addressLine: 'address',
    region: 'province',
    postalCode: 'postcode',
    wayThere: 'how to get there',
    pin: 'map',
  })
  return (
    <Disclosure title="Getting there" note={note}>
      <TextField {...inputProps(card, 'addressLine')} label="Address" autoComplete="off" />
      <TextField {...inputProps(card, 'region')} label="Province or region" autoComplete="off" />
      <TextField {...inputProps(card, 'postalCode')} label="Postcode, if there is one" autoComplete="off" />
      <TextAreaField
        {...inputProps(card, 'wayThere')}
        label="How to get there"
        hint="For example: from the Shell at Sakubva, second left."
        max={WAY_THERE_MAX}
      />
      <MapLinkField
        {...inputProps(card, 'pin')}
        label="Map link or coordinates"
        onChange={(link) => card.change('pin', link)}
      >
        {PlaceOnMap}
      </MapLinkField>
      <SelectField
        {...inputProps(card, 'timeZone')}
        label="Time zone"
        hint="It follows the country. You can choose another."
      >
        {offered.map((zone) => (
          <option key={zone} value={zone}>
            {zoneCity(zone)}
          </option>
        ))}
      </SelectField>
    </Disclosure>
  )
}

/** What to wear and bring, whom to ask, and who sees the gathering. */
export function ForGuests(card: CardProps) {
  const { service } = card
  const isNamed = !isUnnamed(service.kind)
  const note = [
    filled(service, {
      ...(isNamed && { title: 'name' }),
      dress: 'dress',
      bring: 'what to bring',
      notes: 'notes',
      contact: 'whom to ask',
    }),
    service.audience === 'INVITED' && 'only people we invite',
  ]
  return (
    <Disclosure title="For guests" note={note.filter(Boolean).join(', ')}>
      {isNamed && (
        <TextField
          {...inputProps(card, 'title')}
          label="What it’s called"
          hint={`If not just “${KIND_NAME[service.kind || 'OTHER']}”.`}
          autoComplete="off"
        />
      )}
      <TextField
        {...inputProps(card, 'dress')}
        label="Dress"
        hint="For example: church uniform, or black and white."
      />
      <TextAreaField
        {...inputProps(card, 'bring')}
        label="What to bring"
        hint="For example: a chair, a blanket, your hymn book."
        max={BRING_MAX}
      />
      <TextAreaField
        {...inputProps(card, 'notes')}
        label="Notes"
        hint="For example: transport leaves the house at eight."
        max={FUNERAL_NOTES_MAX}
      />
      <TextField
        {...inputProps(card, 'contact')}
        label="Whom to ask"
        hint="A name and a phone number."
        autoComplete="off"
      />
      {service.contact.trim() !== '' && (
        <SelectField
          {...inputProps(card, 'contactFor')}
          label="Who sees this contact"
          hint={service.contactFor === 'FAMILY' && 'Guests don’t see it yet.'}
        >
          {Object.entries(CONTACT_SEEN_BY).map(Choice)}
        </SelectField>
      )}
      <SelectField {...inputProps(card, 'audience')} label="Who sees this gathering">
        {Object.entries(SEEN_BY).map(Choice)}
      </SelectField>
    </Disclosure>
  )
}

function Choice([value, words]: readonly [string, string]) {
  return (
    <option key={value} value={value}>
      {words}
    </option>
  )
}

/** The live stream, and afterwards its recording. */
export function FromAfar(card: CardProps) {
  const note = filled(card.service, { streamUrl: 'live', recordingUrl: 'recording' })
  return (
    <Disclosure title="Watching from afar" note={note}>
      <TextField
        {...inputProps(card, 'streamUrl')}
        {...LINK}
        label="Link to watch live"
        hint="From YouTube, Facebook, Zoom, Teams or anywhere else. It starts with https://."
      />
      <TextField
        {...inputProps(card, 'recordingUrl')}
        {...LINK}
        label="Link to the recording"
        hint="For afterwards, if somebody records it."
      />
    </Disclosure>
  )
}

/** Whether guests can reply, and how many can come. */
export function WhoIsComing(card: CardProps) {
  const { service, errors, change } = card
  const { takesReplies, capacity, keepReplies, repliesUntil } = service
  const [day = '', time] = repliesUntil.split('T')
  const note = [
    'people can reply',
    ...(repliesUntil === '' ? [] : [`until ${formatCalendarDate(day)}, ${time}`]),
    ...(capacity === '' ? [] : [`room for ${capacity}`]),
  ]
  const isShown = takesReplies || errors['capacity'] !== undefined || errors['repliesUntil'] !== undefined
  return (
    <Disclosure title="Who is coming" note={takesReplies ? note.join(', ') : ''}>
      <Checkbox
        label="Let people say whether they’re coming"
        hint="They need no account, and only the family sees who replied."
        isChecked={takesReplies}
        onChange={(isChecked) => change('takesReplies', isChecked)}
      />
      {isShown && (
        <>
          <TextField
            {...inputProps(card, 'capacity')}
            label="Room for how many people"
            hint="Leave it empty if there’s room for everybody."
            inputMode="numeric"
            autoComplete="off"
            onChange={({ target }) => change('capacity', target.value.replaceAll(/\D/gu, ''))}
          />
          <TextField
            {...inputProps(card, 'repliesUntil')}
            label="Reply until"
            hint="If you leave it empty, people can reply until it begins."
            type="datetime-local"
            max={service.dateTime || undefined}
          />
        </>
      )}
      {(isShown || keepReplies) && (
        <Checkbox
          label="Keep the replies"
          hint={`Otherwise they’re deleted ${REPLIES_KEPT_MS / DAY_MS} days after the gathering.`}
          isChecked={keepReplies}
          onChange={(isChecked) => change('keepReplies', isChecked)}
        />
      )}
    </Disclosure>
  )
}
