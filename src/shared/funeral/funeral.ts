import * as z from 'zod/mini'
import { AUDIENCES, CONTACT_FOR, GATHERING_KINDS, type GatheringKind } from './gatherings.ts'
import {
  ADDRESS_MAX,
  BRING_MAX,
  CAPACITY_MAX,
  DEFAULT_TIME_ZONE,
  DRESS_MAX,
  FUNERAL_NOTES_MAX,
  FUNERAL_TITLE_MAX,
  GATHERING_CONTACT_MAX,
  LINK_MAX,
  PLACE_MAX,
  POSTAL_CODE_MAX,
  VENUE_MAX,
  WAY_THERE_MAX,
} from '../limits.ts'
import { positionInput } from '../memorials/location.ts'
import { funeralMessages } from './funeral-messages.ts'
import { lineOrNull, linesOrNull } from '../text.ts'

/** `portrait`: for a chat. `story`: for a status, which fills a phone's screen. */
export const CARD_SHAPES = ['portrait', 'story'] as const
export type CardShape = (typeof CARD_SHAPES)[number]

/** `2026-06-06T10:00` (wall clock in `timeZone`) or an instant with an offset. */
export const WALL_CLOCK = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/u
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/u

/** True for an IANA time zone that this runtime supports. */
export function isTimeZone(value: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/u.test(value)) return false
  try {
    Intl.DateTimeFormat('en', { timeZone: value })
    return true
  } catch {
    return false
  }
}

const optionalLine = (max: number) => z.optional(lineOrNull({ max }))

const timeZone = () => z.string().check(z.refine(isTimeZone, { error: funeralMessages.timeZoneInvalid }))

/** A whole https link that names a host, and nobody's password. */
const HTTPS_LINK = /^https:\/\/(?:[a-z0-9-]+\.)+[a-z0-9-]{2,}(?::\d{1,5})?(?:[/?#]\S*)?$/iu
const httpsLink = () =>
  lineOrNull({ max: LINK_MAX, tooLong: funeralMessages.linkInvalid }).check(
    z.refine((link) => link === null || HTTPS_LINK.test(link), { error: funeralMessages.linkInvalid }),
  )

const details = {
  title: optionalLine(FUNERAL_TITLE_MAX),
  venueName: optionalLine(VENUE_MAX),
  addressLine: optionalLine(ADDRESS_MAX),
  city: optionalLine(PLACE_MAX),
  region: optionalLine(PLACE_MAX),
  country: optionalLine(PLACE_MAX),
  postalCode: optionalLine(POSTAL_CODE_MAX),
  notes: z.optional(linesOrNull({ max: FUNERAL_NOTES_MAX })),
}
const isTime = (value: string) => WALL_CLOCK.test(value) || INSTANT.test(value)
const dateTime = () =>
  z
    .string(funeralMessages.dateTimeRequired)
    .check(
      z.minLength(1, { error: funeralMessages.dateTimeRequired, abort: true }),
      z.refine(isTime, { error: funeralMessages.dateTimeInvalid }),
    )
/** Empty text becomes null. */
const optionalTime = () =>
  z.optional(
    z.pipe(
      z.nullable(
        z
          .string()
          .check(
            z.refine((value) => value === '' || isTime(value), { error: funeralMessages.dateTimeInvalid }),
          ),
      ),
      z.transform((value) => (value === '' ? null : value)),
    ),
  )

/** What a gathering has besides the fields of the first version. What is left out doesn't change, in PUT too. */
const more = {
  kind: z.optional(z.enum(GATHERING_KINDS)),
  endDateTime: optionalTime(),
  pin: z.optional(z.nullable(positionInput)),
  /** Directions in words. */
  wayThere: z.optional(linesOrNull({ max: WAY_THERE_MAX })),
  dress: optionalLine(DRESS_MAX),
  bring: z.optional(linesOrNull({ max: BRING_MAX })),
  contact: optionalLine(GATHERING_CONTACT_MAX),
  contactFor: z.optional(z.enum(CONTACT_FOR)),
  audience: z.optional(z.enum(AUDIENCES)),
  streamUrl: z.optional(httpsLink()),
  recordingUrl: z.optional(httpsLink()),
  isCancelled: z.optional(z.boolean()),
  takesReplies: z.optional(z.boolean()),
  /** People that there is room for; null if any number. */
  capacity: z.optional(
    z.nullable(
      z
        .int(funeralMessages.capacityInvalid)
        .check(
          z.minimum(1, funeralMessages.capacityInvalid),
          z.maximum(CAPACITY_MAX, funeralMessages.capacityInvalid),
        ),
    ),
  ),
  /** Until when people can reply; null until the gathering begins. */
  repliesUntil: optionalTime(),
  keepReplies: z.optional(z.boolean()),
}

export const funeralEventInput = z.object({
  ...details,
  ...more,
  dateTime: dateTime(),
  timeZone: z._default(timeZone(), DEFAULT_TIME_ZONE),
})
/**
 * Fields that are left out don't change. `timeZone` without `dateTime` is refused, because it would move the service.
 */
export const updateFuneralEventInput = z.object({
  ...details,
  ...more,
  timeZone: z.optional(timeZone()),
  dateTime: z.optional(dateTime()),
})
export const icsQuery = z.object({ event: z.optional(z.string()), invite: z.optional(z.string()) })
/** `feed=1`: to be subscribed to, not saved. */
export const calendarQuery = z.extend(icsQuery, { feed: z.optional(z.literal('1')) })
/** `version`: anything that changes with the gatherings, so that the address does. The picture doesn't depend on it. */
export const announcementCardQuery = z.object({
  event: z.optional(z.string()),
  shape: z._default(z.enum(CARD_SHAPES), 'portrait'),
  version: z.optional(z.string()),
  invite: z.optional(z.string()),
})

export type AnnouncementCardQuery = z.output<typeof announcementCardQuery>
export type FuneralEventInput = z.output<typeof funeralEventInput>
export type UpdateFuneralEventInput = z.output<typeof updateFuneralEventInput>

export type ContactFor = (typeof CONTACT_FOR)[number]
export type GatheringSettings = { contactFor: ContactFor; capacity: number | null; keepReplies: boolean }
export type Audience = (typeof AUDIENCES)[number]

/** A place on the map, in degrees. */
export type GatheringPin = { latitude: number; longitude: number }

/** What people need to know of a gathering before they set out. */
export type GatheringFacts = {
  /** UTC instants. */
  dateTime: string
  endDateTime: string | null
  timeZone: string
  /** Venue and address on one line; empty if none is given. */
  place: string
  /** The place on the map, if the family marked it. */
  pin?: GatheringPin
  isCancelled: boolean
}

/** A gathering: a service of the funeral, or a later one. */
export type FuneralEvent = {
  id: string
  kind: GatheringKind
  title: string | null
  /** UTC instant. */
  dateTime: string
  /** UTC instant, or null if the family gave no end. */
  endDateTime: string | null
  /** IANA zone of the venue, in which the service is shown. */
  timeZone: string
  venueName: string | null
  addressLine: string | null
  city: string | null
  region: string | null
  country: string | null
  postalCode: string | null
  notes: string | null
  /** Where it is, in degrees (WGS 84). */
  pin: GatheringPin | null
  wayThere: string | null
  dress: string | null
  bring: string | null
  /** Whom to ask; null for those to whom the owner doesn't show it. */
  contact: string | null
  audience: Audience
  streamUrl: string | null
  recordingUrl: string | null
  isCancelled: boolean
  /** What the page said before the last change, and when it changed; null if nothing that matters did. A place that was only completed is the present one. */
  change: ({ at: string } & GatheringFacts) | null
  takesReplies: boolean
  /** UTC instant, or null: until the gathering begins. */
  repliesUntil: string | null
  /** All places are taken. */
  isFull: boolean
  /** For editors only, and left out while nothing is set: as `NO_SETTINGS`. */
  settings?: GatheringSettings
  /** Opaque id of the printed programme (PDF), or null. */
  programFileId: string | null
  programFileName: string | null
  /** Bytes. */
  programSize: number | null
}
