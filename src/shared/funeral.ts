import * as z from 'zod/mini'
import {
  ADDRESS_MAX,
  DEFAULT_TIME_ZONE,
  FUNERAL_NOTES_MAX,
  FUNERAL_TITLE_MAX,
  PLACE_MAX,
  POSTAL_CODE_MAX,
  VENUE_MAX,
} from './limits.ts'
import { messages } from './messages.ts'
import { lineOrNull, linesOrNull } from './text.ts'

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

const timeZone = () => z.string().check(z.refine(isTimeZone, { error: messages.funeral.timeZoneInvalid }))

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
const dateTime = () =>
  z.string(messages.funeral.dateTimeRequired).check(
    z.minLength(1, { error: messages.funeral.dateTimeRequired, abort: true }),
    z.refine((value) => WALL_CLOCK.test(value) || INSTANT.test(value), {
      error: messages.funeral.dateTimeInvalid,
    }),
  )

export const funeralEventInput = z.object({
  ...details,
  dateTime: dateTime(),
  timeZone: z._default(timeZone(), DEFAULT_TIME_ZONE),
})
/**
 * Fields that are left out don't change. `timeZone` without `dateTime` is refused, because it would move the service.
 */
export const updateFuneralEventInput = z.object({
  ...details,
  timeZone: z.optional(timeZone()),
  dateTime: z.optional(dateTime()),
})
export const icsQuery = z.object({ event: z.optional(z.string()), invite: z.optional(z.string()) })

export type FuneralEventInput = z.output<typeof funeralEventInput>
export type UpdateFuneralEventInput = z.output<typeof updateFuneralEventInput>

export type FuneralEvent = {
  id: string
  title: string | null
  /** UTC instant. */
  dateTime: string
  /** IANA zone of the venue, in which the service is shown. */
  timeZone: string
  venueName: string | null
  addressLine: string | null
  city: string | null
  region: string | null
  country: string | null
  postalCode: string | null
  notes: string | null
  /** Opaque id of the printed programme (PDF), or null. */
  programFileId: string | null
  programFileName: string | null
  /** Bytes. */
  programSize: number | null
}
