import { wallClock, zoneCity } from '../dates.ts'
import { addressOf } from './directions.ts'
import type { FuneralEvent, GatheringFacts, GatheringPin } from './funeral.ts'

type Times = Pick<GatheringFacts, 'dateTime' | 'endDateTime' | 'timeZone'>

/** `until 13:30`, with the date if that is another day there; null if the family gave no end. */
export function untilText({ dateTime, endDateTime, timeZone }: Times): string | null {
  if (endDateTime === null) return null
  const { time } = wallClock(endDateTime, timeZone)
  const day = dayOf(endDateTime, timeZone)
  return `until ${day === dayOf(dateTime, timeZone) ? '' : `${day}, `}${time}`
}

/** `youtube.com` for a link. */
export function hostOf(link: string): string {
  return link
    .replace(/^https:\/\/(?:www\.)?/u, '')
    .replace(/[:/?#].*$/su, '')
    .toLowerCase()
}

/** Venue and address on one line; empty if none is given. */
export function placeOf(event: Parameters<typeof addressOf>[0] & Pick<FuneralEvent, 'venueName'>): string {
  return [event.venueName, addressOf(event)].filter(Boolean).join(', ')
}

/** About 200 m: closer than that, people find each other. */
const NEARBY_DEGREES = 0.002

/** True if whoever was led to the first place on the map finds the second. Without one they weren't led, and there is none to find. */
export function isNearby(known: GatheringPin | undefined, now: GatheringPin | undefined): boolean {
  if (!known || !now) return true
  const degrees = [known.latitude - now.latitude, known.longitude - now.longitude].map(Math.abs)
  return Math.max(...degrees) < NEARBY_DEGREES
}

/** What changed last and still matters: `now 11:00, at Warren Hills`, and what it was before, as far as that was known. */
export type Change = { at: string; now: string; before: string | null }

/** What people who read the page before have to know; null if nothing, and for what is cancelled: the page says that first. */
export function changeOf(event: FuneralEvent): Change | null {
  const { change } = event
  if (change === null || event.isCancelled) return null
  const [now, before]: [string[], string[]] = [[], []]
  const [then, since] = [beginning(change, event), beginning(event, change)]
  const [thenUntil, until] = [untilText(change), untilText(event)]
  if (change.isCancelled) now.push('it takes place after all')
  if (then !== since) {
    now.push(`now ${since}`)
    before.push(`was ${then}`)
  } else if (thenUntil !== until) {
    now.push(until === null ? 'the end isn’t known yet' : `now ${until}`)
    if (thenUntil !== null) before.push(`was ${thenUntil}`)
  }
  const place = placeOf(event)
  if (change.place !== place) {
    const { venueName } = event
    // The same venue needs its address to tell the difference.
    const isSameVenue = `${change.place}, `.startsWith(`${venueName}, `)
    const where = venueName === null || isSameVenue ? place : venueName
    now.push(place === '' ? 'the place isn’t known yet' : `now at ${where}`)
    if (change.place !== '') before.push(`was at ${change.place}`)
  }
  if (change.place === place && !isNearby(change.pin, event.pin ?? undefined))
    now.push('now elsewhere on the map')
  if (now.length === 0) return null
  return { at: change.at, now: now.join(', '), before: before.length === 0 ? null : before.join(', ') }
}

/** `10:00`, with the day and the zone if the other one has another. */
function beginning({ dateTime, timeZone }: Times, other: Times): string {
  const day = dayOf(dateTime, timeZone)
  return [
    ...(day === dayOf(other.dateTime, other.timeZone) ? [] : [day]),
    wallClock(dateTime, timeZone).time,
    ...(timeZone === other.timeZone ? [] : [`${zoneCity(timeZone)} time`]),
  ].join(', ')
}

/** `Saturday 6 June`. */
function dayOf(instant: string, timeZone: string): string {
  const { weekday, day, monthName } = wallClock(instant, timeZone)
  return `${weekday} ${day} ${monthName}`
}
