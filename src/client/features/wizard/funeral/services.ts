import { wallClock } from '#shared/dates.ts'
import type { FuneralEvent } from '#shared/funeral.ts'
import type { MemorialLocation } from '#shared/location.ts'
import { hasTexts } from '../use-draft.ts'
import { defaultZone, isHarareTime } from './place-zone.ts'

const TEXTS = [
  'title',
  'dateTime',
  'timeZone',
  'venueName',
  'addressLine',
  'city',
  'region',
  'country',
  'postalCode',
  'notes',
] as const

/** Form values of one service. `id` is the server's, null until saved; `key` identifies the card. */
export type Service = Record<(typeof TEXTS)[number], string> & { key: string; id: string | null }
export type Services = { services: Service[] }

const HOME_COUNTRY = 'Zimbabwe'

/** Suggestions only: any other text is allowed. */
export const SERVICE_TYPES = [
  'Church service',
  'Body viewing',
  'Vigil',
  'Burial',
  'Cremation',
  'Memorial service (nyaradzo)',
  'Kurova guva',
  'Umbuyiso',
  'Tombstone unveiling',
] as const

/** Where Zimbabwean families live. The service's own time zone is added to these. */
export const TIME_ZONES = [
  'Africa/Harare',
  'Africa/Johannesburg',
  'Africa/Gaborone',
  'Africa/Lusaka',
  'Africa/Maputo',
  'Africa/Windhoek',
  'Africa/Nairobi',
  'Africa/Lagos',
  'Europe/London',
  'Europe/Dublin',
  'Europe/Berlin',
  'Asia/Dubai',
  'America/New_York',
  'America/Chicago',
  'America/Los_Angeles',
  'America/Toronto',
  'Australia/Perth',
  'Australia/Sydney',
  'Pacific/Auckland',
  'UTC',
] as const

/** A new card; copies the town of the card before it, and the first is where the grave is. */
export function newService(before?: Service, grave: MemorialLocation | null = null): Service {
  const home = grave === null || isHarareTime(grave) ? HOME_COUNTRY : ''
  return {
    key: crypto.randomUUID(),
    id: null,
    title: '',
    dateTime: '',
    timeZone: before?.timeZone ?? defaultZone(grave),
    venueName: '',
    addressLine: '',
    city: before?.city ?? '',
    region: before?.region ?? '',
    country: before?.country ?? home,
    postalCode: '',
    notes: '',
  }
}

/** Form values of a saved service, in its own time zone. */
export function serviceOf(event: FuneralEvent): Service {
  const at = wallClock(event.dateTime, event.timeZone)
  const two = (value: number) => String(value).padStart(2, '0')
  return {
    key: event.id,
    id: event.id,
    title: event.title ?? '',
    dateTime: `${at.year}-${two(at.month)}-${two(at.day)}T${at.time}`,
    timeZone: event.timeZone,
    venueName: event.venueName ?? '',
    addressLine: event.addressLine ?? '',
    city: event.city ?? '',
    region: event.region ?? '',
    country: event.country ?? '',
    postalCode: event.postalCode ?? '',
    notes: event.notes ?? '',
  }
}

/** Cards of the saved services; one empty card if there are none. */
export function servicesOf(events: readonly FuneralEvent[], grave: MemorialLocation | null = null): Services {
  return { services: events.length > 0 ? events.map(serviceOf) : [newService(undefined, grave)] }
}

/** What a card is called: its type of service, or its number. `index` counts from 0. */
export function nameOf({ title }: Pick<Service, 'title'>, index: number): string {
  return title.trim() || `Service ${index + 1}`
}

/** The card to which the field `1.dateTime` belongs; undefined if there is only one. */
export function cardOf(services: readonly Service[], field: string): string | undefined {
  const index = Number.parseInt(field, 10)
  const service = services.length > 1 ? services[index] : undefined
  return service && nameOf(service, index)
}

/** The form values as the API input. */
export function inputOf({ key: _key, id: _id, ...input }: Service) {
  return input
}

/** Whether the user entered nothing on this card. */
export function isBlank(service: Service): boolean {
  const written = [service.title, service.dateTime, service.venueName, service.addressLine, service.notes]
  return service.id === null && written.every((text) => text.trim() === '')
}

/** Whether the card equals the saved service. */
export function isUnchanged(service: Service, saved: FuneralEvent | undefined): boolean {
  if (!saved) return false
  const before = serviceOf(saved)
  return TEXTS.every((name) => before[name] === service[name])
}

/** Whether a draft read from this device has the shape of {@link Services}. */
export function isServices(values: unknown): values is Services {
  const services = (values as { services?: unknown } | null)?.services
  return (
    Array.isArray(services) &&
    services.length > 0 &&
    services.every(
      (service: unknown) =>
        hasTexts(service, [...TEXTS, 'key']) &&
        ['string', 'object'].includes(typeof (service as { id?: unknown }).id),
    )
  )
}
