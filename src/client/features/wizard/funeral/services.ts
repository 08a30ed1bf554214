import { wallClock } from '#shared/dates.ts'
import {
  funeralEventInput,
  WALL_CLOCK,
  type FuneralEvent,
  type GatheringSettings,
} from '#shared/funeral/funeral.ts'
import { isLater, KIND_NAME, NO_SETTINGS, type GatheringKind } from '#shared/funeral/gatherings.ts'
import { COORDINATE_DECIMALS, FUNERAL_EVENTS_MAX, LATER_GATHERINGS_MAX } from '#shared/limits.ts'
import type { MemorialLocation } from '#shared/memorials/location.ts'
import { messages } from '#shared/messages.ts'
import { inputErrors } from '#client/lib/input-errors.ts'
import type { FieldErrors } from '#client/lib/use-form.ts'
import { parseMapLink } from '../location/map-link.ts'
import { defaultZone, isHarareTime } from './place-zone.ts'

/** Where a gathering is. The next card begins with the same. */
type Town = Record<'timeZone' | 'city' | 'region' | 'country', string>

const EMPTY_TEXTS = {
  title: '',
  dateTime: '',
  endDateTime: '',
  venueName: '',
  addressLine: '',
  postalCode: '',
  wayThere: '',
  /** A map link as it was pasted, or `-18.97, 32.67`. */
  pin: '',
  dress: '',
  bring: '',
  notes: '',
  contact: '',
  streamUrl: '',
  recordingUrl: '',
  capacity: '',
  repliesUntil: '',
}
const NO_CHOICES = {
  contactFor: NO_SETTINGS.contactFor,
  audience: 'EVERYBODY',
  isCancelled: false,
  takesReplies: false,
  keepReplies: NO_SETTINGS.keepReplies,
} as const satisfies Partial<FuneralEvent & GatheringSettings>

type Texts = Record<keyof typeof EMPTY_TEXTS, string>
type Choices = Pick<FuneralEvent & GatheringSettings, keyof typeof NO_CHOICES>

/** The values of a gathering's form. */
export type ServiceValues = Town & Texts & Choices & { kind: ChosenKind }
/** Empty while the family hasn't chosen one: a service of the funeral. */
type ChosenKind = GatheringKind | ''
/** Form values of one gathering. `id` is the server's, null until saved; `key` identifies the card. */
export type Service = ServiceValues & { key: string; id: string | null }
export type Services = { services: Service[] }

const HOME_COUNTRY = 'Zimbabwe'
/** What a card for a later gathering begins with. */
const ANY_LATER = 'OTHER_LATER'

/** A new card; copies the town of the card before it, and the first is where the grave is. */
export function newService(
  before?: Service,
  grave: MemorialLocation | null = null,
  kind: '' | typeof ANY_LATER = '',
): Service {
  const home = grave === null || isHarareTime(grave) ? HOME_COUNTRY : ''
  return {
    ...EMPTY_TEXTS,
    ...NO_CHOICES,
    key: crypto.randomUUID(),
    id: null,
    kind,
    timeZone: before?.timeZone ?? defaultZone(grave),
    city: before?.city ?? '',
    region: before?.region ?? '',
    country: before?.country ?? home,
  }
}

/** Form values of a saved gathering, in its own time zone. */
export function serviceOf(event: FuneralEvent): Service {
  const { contactFor, capacity, keepReplies } = event.settings ?? NO_SETTINGS
  const clock = (instant: string | null) => (instant === null ? '' : clockText(instant, event.timeZone))
  return {
    key: event.id,
    id: event.id,
    kind: event.kind === 'OTHER' && event.title === null ? '' : event.kind,
    title: event.title ?? '',
    dateTime: clock(event.dateTime),
    endDateTime: clock(event.endDateTime),
    timeZone: event.timeZone,
    venueName: event.venueName ?? '',
    addressLine: event.addressLine ?? '',
    city: event.city ?? '',
    region: event.region ?? '',
    country: event.country ?? '',
    postalCode: event.postalCode ?? '',
    wayThere: event.wayThere ?? '',
    pin: event.pin === null ? '' : `${degrees(event.pin.latitude)}, ${degrees(event.pin.longitude)}`,
    dress: event.dress ?? '',
    bring: event.bring ?? '',
    notes: event.notes ?? '',
    contact: event.contact ?? '',
    contactFor,
    audience: event.audience,
    streamUrl: event.streamUrl ?? '',
    recordingUrl: event.recordingUrl ?? '',
    isCancelled: event.isCancelled,
    takesReplies: event.takesReplies,
    capacity: capacity === null ? '' : String(capacity),
    repliesUntil: clock(event.repliesUntil),
    keepReplies,
  }
}

/** `2026-06-06T10:00`, as an input takes it. */
function clockText(instant: string, timeZone: string): string {
  const at = wallClock(instant, timeZone)
  const digits = (value: number, length: number) => String(value).padStart(length, '0')
  return `${digits(at.year, 4)}-${digits(at.month, 2)}-${digits(at.day, 2)}T${at.time}`
}

function degrees(value: number): number {
  return Number(value.toFixed(COORDINATE_DECIMALS))
}

/** Cards of the saved gatherings; one empty card if there are none. */
export function servicesOf(events: readonly FuneralEvent[], grave: MemorialLocation | null = null): Services {
  return { services: events.length > 0 ? events.map(serviceOf) : [newService(undefined, grave)] }
}

function isLaterCard({ kind }: Pick<Service, 'kind'>): boolean {
  return kind !== '' && isLater(kind)
}

/** Adds an empty card: a service behind the last service, a later gathering at the end. */
export function withNew(
  services: readonly Service[],
  later: boolean,
): { services: Service[]; added: Service } {
  const index = later ? services.length : services.findLastIndex((card) => !isLaterCard(card)) + 1
  const added = newService(services[index - 1] ?? services[0], null, later ? ANY_LATER : '')
  return { services: services.toSpliced(index, 0, added), added }
}

/** Which of the two sorts of gatherings a memorial can have no more of. */
export type Full = { services: boolean; later: boolean }
export function fullOf(services: readonly Service[]): Full {
  const later = services.filter(isLaterCard).length
  return {
    services: services.length - later >= FUNERAL_EVENTS_MAX,
    later: later >= LATER_GATHERINGS_MAX,
  }
}

/** What a card is called: the gathering's name, or its number among the cards of its sort. */
export function cardName(service: Service, services: readonly Service[]): string {
  if (service.title.trim() !== '') return service.title.trim()
  if (!isUnnamed(service.kind)) return KIND_NAME[service.kind]
  const later = isLaterCard(service)
  const same = services.filter((card) => isLaterCard(card) === later)
  return `${later ? 'Later gathering' : 'Service'} ${same.findIndex(({ key }) => key === service.key) + 1}`
}

/** Whether this kind says nothing of a gathering, so that it needs a name. */
export function isUnnamed(kind: ChosenKind): kind is '' | 'OTHER' | typeof ANY_LATER {
  return kind === '' || kind === 'OTHER' || kind === ANY_LATER
}

/** The name of an error's field in the step: the card's key and the field. */
export function fieldOf({ key }: Pick<Service, 'key'>, name: string): string {
  return `${key}.${name}`
}

/** The card to which such a field belongs; undefined if there is only one. */
export function cardOf(services: readonly Service[], field: string): string | undefined {
  const service = services.find((card) => field.startsWith(fieldOf(card, '')))
  return service && services.length > 1 ? cardName(service, services) : undefined
}

/** The form values as the API input. */
export function inputOf({ key: _key, id: _id, kind, pin, capacity, ...input }: Service) {
  return {
    ...input,
    kind: kind === '' ? 'OTHER' : kind,
    pin: pinOf(pin),
    capacity: capacity.trim() === '' ? null : Number(capacity),
  } as const
}

/** The position in a map link. One that has none becomes a position that the schema refuses. */
function pinOf(text: string): { latitude: number; longitude: number } | null {
  if (text.trim() === '') return null
  const found = parseMapLink(text)
  return { latitude: Number(found?.latitude), longitude: Number(found?.longitude) }
}

/** What is wrong with a card, by field. */
export function problemsOf(service: Service): FieldErrors {
  const isLost = service.pin.trim() !== '' && parseMapLink(service.pin) === null
  return {
    ...cardErrors(service, inputErrors(funeralEventInput, inputOf(service))),
    ...(isLost && { [fieldOf(service, 'pin')]: messages.location.noPosition }),
  }
}

/** The API's errors, with the names of the step's fields; those of a part of a field are the field's. */
export function cardErrors(service: Pick<Service, 'key'>, fields: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(fields).map(([path, text]) => [fieldOf(service, path.split('.')[0] ?? path), text]),
  )
}

/** The errors of one card, keyed by its own field names. */
export function errorsOf(service: Pick<Service, 'key'>, fields: FieldErrors | undefined): FieldErrors {
  const prefix = fieldOf(service, '')
  return Object.fromEntries(
    Object.entries(fields ?? {})
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, text]) => [name.slice(prefix.length), text]),
  )
}

/** Whether the user entered nothing on this card. */
export function isBlank(service: Service): boolean {
  const texts = Object.keys(EMPTY_TEXTS) as (keyof Texts)[]
  const isAsNew = service.kind === '' || service.kind === ANY_LATER
  return service.id === null && isAsNew && texts.every((name) => service[name].trim() === '')
}

/** The card without which the step isn't done: the first on which something is entered, else the first. */
export function mainCard(services: readonly Service[]): Service | undefined {
  return services.find((card) => !isBlank(card)) ?? services[0]
}

/** Whether saving the card would change nothing. */
export function isUnchanged(service: Service, saved: FuneralEvent | undefined): boolean {
  if (!saved) return false
  const [before, after] = [inputOf(serviceOf(saved)), inputOf(service)]
  const names = Object.keys(before) as (keyof typeof before)[]
  return names.every((name) => JSON.stringify(before[name]) === JSON.stringify(after[name]))
}

/** An end, of the gathering or of replies, that moves along when it begins at another time. Empty stays empty. */
export function movedEnd(end: string, before: string, after: string): string {
  const [endsAt, was, is] = [end, before, after].map((text) => Date.parse(`${text}Z`))
  const moved = new Date(Number(endsAt) + Number(is) - Number(was))
  const text = Number.isNaN(moved.getTime()) ? '' : moved.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length)
  return WALL_CLOCK.test(text) ? text : end
}
