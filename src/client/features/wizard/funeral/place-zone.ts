import { wallClock, zoneCity } from '#shared/dates.ts'
import { DEFAULT_TIME_ZONE } from '#shared/limits.ts'
import type { MemorialLocation } from '#shared/memorials/location.ts'

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

/** Country names that people write and `Intl.DisplayNames` doesn't have. */
const ALIASES: Record<string, string> = {
  uk: 'GB',
  'great britain': 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'northern ireland': 'GB',
  us: 'US',
  usa: 'US',
  uae: 'AE',
  rsa: 'ZA',
  drc: 'CD',
  swaziland: 'SZ',
}
const A_TO_Z = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
/** Midwinter and midsummer: two zones with the same time at both are the same clock. */
const SEASONS = ['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z']

/** ISO 3166 codes by English name in lower case, from the browser's own tables. */
let codes: Map<string, string> | null = null

function codeOf(country: string): string | undefined {
  if (!codes) {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    const all = A_TO_Z.flatMap((first) => A_TO_Z.map((second) => first + second))
    codes = new Map(all.map((code) => [names.of(code)?.toLowerCase() ?? '', code]))
  }
  const name = country.trim().toLowerCase()
  return name === '' ? undefined : (ALIASES[name] ?? codes.get(name))
}

type Position = Pick<MemorialLocation, 'latitude' | 'longitude'>

/** Not in every browser: https://tc39.es/proposal-intl-locale-info */
type LocaleWithZones = Intl.Locale & { getTimeZones?: () => string[] | undefined }

/**
 * The IANA time zone of a place, by the browser's own tables. Null if the browser doesn't know the country, or if the
 * country has several clocks and none is named after the town.
 */
export function zoneOf({ country, city }: { country: string; city: string }): string | null {
  const code = codeOf(country)
  const locale: LocaleWithZones | null = code === undefined ? null : new Intl.Locale(`und-${code}`)
  const zones = locale?.getTimeZones?.() ?? []
  const town = city.trim().toLowerCase()
  const ofTown = zones.find((zone) => zoneCity(zone).toLowerCase() === town)
  if (ofTown !== undefined) return ofTown
  const clocks = zones.map((zone) => SEASONS.map((instant) => clockAt(instant, zone)).join(' '))
  return new Set(clocks).size === 1 ? (zones[0] ?? null) : null
}

function clockAt(instant: string, zone: string): string {
  const { day, time } = wallClock(instant, zone)
  return `${day} ${time}`
}

/** Whether the clocks at a grave show Harare's time: in Zimbabwe and its neighbours (a box, in degrees). */
export function isHarareTime({ latitude, longitude }: Position): boolean {
  return latitude > -36 && latitude < -8 && longitude > 11 && longitude < 41
}

/** The first guess for a service, from the place of the grave: far from Zimbabwe it is the zone of this device. */
export function defaultZone(grave: Position | null): string {
  if (grave === null || isHarareTime(grave)) return DEFAULT_TIME_ZONE
  return new Intl.DateTimeFormat().resolvedOptions().timeZone
}
