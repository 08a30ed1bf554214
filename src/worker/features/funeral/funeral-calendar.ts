import { directionsTo } from '#shared/funeral/directions.ts'
import { endOf, nameOf } from '#shared/funeral/gatherings.ts'
import type { MemorialLocation } from '#shared/memorials/location.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { toFuneralEvent, type FuneralRow, type Sight } from '#worker/features/funeral/funeral.ts'

const LINE_MAX_OCTETS = 75

type Position = Pick<MemorialLocation, 'latitude' | 'longitude'>

type Calendar = {
  honoureeFullName: string
  memorialUrl: string
  /** Whether anyone can open the link, because calendar files get passed on. */
  isPublic: boolean
  services: FuneralRow[]
  /** How much of them this viewer sees. */
  sight: Sight
  /** Calendars subscribe to it and ask again every hour. */
  isFeed: boolean
  /** The burial place, or null if this viewer may not see it. */
  location: MemorialLocation | null
}

/** What only a feed says: https://www.rfc-editor.org/rfc/rfc7986 and, for older calendars, the names that came before it. */
function feedLines({ honoureeFullName, memorialUrl }: Calendar): string[] {
  const name = escape(`${funeralMessages.feedName} ${honoureeFullName}`)
  return [
    'METHOD:PUBLISH',
    `NAME:${name}`,
    `X-WR-CALNAME:${name}`,
    `UID:${new URL(memorialUrl).pathname.split('/').at(-1)}@${new URL(memorialUrl).hostname}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
  ]
}

/** A calendar must have a component (RFC 5545, 3.6). */
const NOTHING = [
  'BEGIN:VTIMEZONE',
  'TZID:Etc/UTC',
  'BEGIN:STANDARD',
  'DTSTART:19700101T000000',
  'TZOFFSETFROM:+0000',
  'TZOFFSETTO:+0000',
  'END:STANDARD',
  'END:VTIMEZONE',
]

/**
 * An iCalendar file (RFC 5545) with stable UIDs, so that importing it again moves entries. `SEQUENCE` tells calendars which of two is newer; what is
 * cancelled stays in it and says so.
 */
export function funeralCalendar(calendar: Calendar): string {
  const entries = calendar.services.flatMap((service) => eventLines(calendar, service))
  return [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Keeping Legacies Alive//Nhaka//EN',
    'CALSCALE:GREGORIAN',
    ...(calendar.isFeed ? feedLines(calendar) : []),
    ...(entries.length === 0 ? NOTHING : entries),
    'END:VCALENDAR',
  ]
    .map((line) => `${fold(line)}\r\n`)
    .join('')
}

function eventLines(
  { honoureeFullName, memorialUrl, isPublic, sight, location }: Calendar,
  service: FuneralRow,
): string[] {
  const event = toFuneralEvent(service, sight)
  const address = addressOf(service)
  const destination = event.pin ? coordinates(event.pin, ',') : address
  // The coordinates of the memorial are the grave's, so a service with its own venue must not use them.
  const position = event.pin ?? (address === '' ? location : null)
  const cancelled = service.isCancelled ? `${funeralMessages.calendarCancelled}: ` : ''
  const words = funeralMessages
  const line = (label: string, text: string | null) => (text === null ? [] : [`${label} ${text}`])
  const description = [
    ...(event.notes === null ? [] : [event.notes]),
    localTime(service),
    ...(destination === '' ? [] : [`${words.calendarDirections} ${directionsTo(destination)}`]),
    ...(event.wayThere === null ? [] : [event.wayThere]),
    ...(location ? [`${words.calendarBurialPlace} ${directionsTo(coordinates(location, ','))}`] : []),
    ...line(words.calendarDress, event.dress),
    ...line(words.calendarBring, event.bring),
    ...line(words.calendarContact, event.contact),
    ...line(words.calendarStream, event.streamUrl),
    ...line(words.calendarRecording, event.recordingUrl),
    ...(isPublic ? [`${words.calendarMemorial} ${memorialUrl}`] : []),
  ].join('\n')
  return [
    'BEGIN:VEVENT',
    `UID:${service.id}@${new URL(memorialUrl).hostname}`,
    `DTSTAMP:${utc(service.updatedAt)}`,
    `LAST-MODIFIED:${utc(service.updatedAt)}`,
    ...(service.sequence === 0 ? [] : [`SEQUENCE:${service.sequence}`]),
    ...(service.isCancelled ? ['STATUS:CANCELLED'] : []),
    `DTSTART:${utc(service.dateTime)}`,
    `DTEND:${utc(endOf(event))}`,
    `SUMMARY:${escape(`${cancelled}${nameOf(event)}: ${honoureeFullName}`)}`,
    ...(address === '' ? [] : [`LOCATION:${escape(address)}`]),
    ...(position ? [`GEO:${coordinates(position, ';')}`] : []),
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

function coordinates({ latitude, longitude }: Position, separator: string): string {
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
