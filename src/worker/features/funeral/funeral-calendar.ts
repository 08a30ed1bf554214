import { FUNERAL_DURATION_MS } from '#shared/limits.ts'
import type { MemorialLocation } from '#shared/location.ts'
import { directionsTo } from '#shared/directions.ts'
import { messages } from '#shared/messages.ts'
import type { FuneralRow } from '#worker/features/funeral/funeral.ts'

const LINE_MAX_OCTETS = 75

type Calendar = {
  honoureeFullName: string
  memorialUrl: string
  /** Whether anyone can open the link, because calendar files get passed on. */
  isPublic: boolean
  services: FuneralRow[]
  /** The burial place, or null if this viewer may not see it. */
  location: MemorialLocation | null
}

/** An iCalendar file (RFC 5545) with stable UIDs, so that importing it again moves entries. */
export function funeralCalendar(calendar: Calendar): string {
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Keeping Legacies Alive//Nhaka//EN',
    'CALSCALE:GREGORIAN',
    ...calendar.services.flatMap((service) => eventLines(calendar, service)),
    'END:VCALENDAR',
  ]
    .map((line) => `${fold(line)}\r\n`)
    .join('')
}

function eventLines(
  { honoureeFullName, memorialUrl, isPublic, location }: Calendar,
  service: FuneralRow,
): string[] {
  const address = addressOf(service)
  const title = service.title ?? messages.funeral.calendarTitle
  const description = [
    ...(service.notes === null ? [] : [service.notes]),
    localTime(service),
    ...(address === '' ? [] : [`${messages.funeral.calendarDirections} ${directionsTo(address)}`]),
    ...(location
      ? [`${messages.funeral.calendarBurialPlace} ${directionsTo(coordinates(location, ','))}`]
      : []),
    ...(isPublic ? [`${messages.funeral.calendarMemorial} ${memorialUrl}`] : []),
  ].join('\n')
  return [
    'BEGIN:VEVENT',
    `UID:${service.id}@${new URL(memorialUrl).hostname}`,
    `DTSTAMP:${utc(service.updatedAt)}`,
    `LAST-MODIFIED:${utc(service.updatedAt)}`,
    `DTSTART:${utc(service.dateTime)}`,
    `DTEND:${utc(service.dateTime + FUNERAL_DURATION_MS)}`,
    `SUMMARY:${escape(`${title}: ${honoureeFullName}`)}`,
    ...(address === '' ? [] : [`LOCATION:${escape(address)}`]),
    // The coordinates are the grave's, so a service with its own venue must not use them.
    ...(address === '' && location ? [`GEO:${coordinates(location, ';')}`] : []),
    `DESCRIPTION:${escape(description)}`,
    'END:VEVENT',
  ]
}

function addressOf(service: FuneralRow): string {
  const { venueName, addressLine, city, region, postalCode, country } = service
  return [venueName, addressLine, city, region, postalCode, country]
    .filter((part) => part !== null)
    .join(', ')
}

function coordinates({ latitude, longitude }: MemorialLocation, separator: string): string {
  return [latitude, longitude].map((degrees) => degrees.toFixed(6)).join(separator)
}

/** Local time at the venue with its zone, because calendars show the reader's own time. */
function localTime({ dateTime, timeZone }: FuneralRow): string {
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'short' })
  return `${time.format(dateTime)} (${timeZone})`
}

/** `20260606T080000Z`. */
function utc(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19).replaceAll(/[-:]/gu, '')}Z`
}

/** Escapes a TEXT value (RFC 5545, 3.3.11): no control characters, and a line break becomes `\n`. */
function escape(text: string): string {
  return (
    text
      .replaceAll(/[\\;,]/gu, (character) => `\\${character}`)
      .replaceAll(/\r\n?|\n/gu, '\\n')
      // eslint-disable-next-line no-control-regex -- refusing control characters is the purpose
      .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/gu, '')
  )
}

/** Folds a line at 75 octets (RFC 5545, 3.1), between characters. */
function fold(line: string): string {
  const encoder = new TextEncoder()
  let folded = ''
  let octets = 0
  for (const character of line) {
    const size = encoder.encode(character).byteLength
    if (octets + size > LINE_MAX_OCTETS) {
      folded += '\r\n '
      octets = 1
    }
    folded += character
    octets += size
  }
  return folded
}
