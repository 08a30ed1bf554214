import { formatService, wallClock, zoneCity } from '../dates.ts'
import { addressOf } from './directions.ts'
import type { FuneralEvent } from './funeral.ts'
import { isUpcoming, nameOf } from './gatherings.ts'
import { formatLifeDates, type LifeDates } from '../memorials/life-dates.ts'
import { announcementMessages } from './announcement-messages.ts'

/**
 * The gatherings that may be passed on, from those of a memorial: they are ahead, and for everybody. Cards and texts travel
 * further than the people to whom the family shows the others.
 */
export function announced(events: readonly FuneralEvent[], now: number): FuneralEvent[] {
  return events.filter((event) => isUpcoming(event, now) && event.audience === 'EVERYBODY')
}

/** The gathering to name beside the person: the next one that takes place, else the next that is cancelled. */
export function nextAnnounced(events: readonly FuneralEvent[], now: number): FuneralEvent | null {
  const ahead = announced(events, now)
  return ahead.find(({ isCancelled }) => !isCancelled) ?? ahead[0] ?? null
}

/** `Saturday 6 June 2026, 10:00 to 12:30, Harare time`: with the date, because it's read on another day. */
export function timesOf({
  dateTime,
  endDateTime,
  timeZone,
}: Pick<FuneralEvent, 'dateTime' | 'endDateTime' | 'timeZone'>): string {
  if (endDateTime === null) return formatService(dateTime, timeZone)
  const [from, to] = [wallClock(dateTime, timeZone), wallClock(endDateTime, timeZone)]
  const isSameDay = from.day === to.day && from.month === to.month && from.year === to.year
  const end = isSameDay ? to.time : `${to.weekday} ${to.day} ${to.monthName}, ${to.time}`
  const start = `${from.weekday} ${from.day} ${from.monthName} ${from.year}, ${from.time}`
  return `${start} to ${end}, ${zoneCity(timeZone)} time`
}

/** `Sat 6 June, 10:00, Harare time`. */
export function shortTimeOf({ dateTime, timeZone }: Pick<FuneralEvent, 'dateTime' | 'timeZone'>): string {
  const at = wallClock(dateTime, timeZone)
  return `${at.weekday.slice(0, 3)} ${at.day} ${at.monthName}, ${at.time}, ${zoneCity(timeZone)} time`
}

/** Venue and address on one line; empty if none is given. */
export function placeOf(event: FuneralEvent): string {
  return [event.venueName, addressOf(event)].filter(Boolean).join(', ')
}

/** What is different from what people were told before. */
export function changesOf(event: FuneralEvent): { time: boolean; place: boolean } {
  const { change } = event
  if (change === null) return { time: false, place: false }
  return {
    time: timesOf(change) !== timesOf(event) || change.isCancelled !== event.isCancelled,
    place: change.place !== placeOf(event),
  }
}

/** When and where it is, each saying so if it has changed. */
export function whenAndWhere(event: FuneralEvent): { when: string; where: string } {
  const { time, place } = event.isCancelled ? { time: false, place: false } : changesOf(event)
  const where = placeOf(event)
  return {
    when: time ? announcementMessages.changed(timesOf(event)) : timesOf(event),
    where: place && where !== '' ? announcementMessages.changed(where) : where,
  }
}

/**
 * The announcement as text for a chat: of all gatherings, or of the one with this id. WhatsApp shows what is between asterisks
 * in bold.
 */
export function announcementText(
  person: LifeDates & { honoureeFullName: string },
  {
    events,
    now,
    link,
    eventId,
  }: { events: readonly FuneralEvent[]; now: number; link: string; eventId?: string | undefined },
): string {
  const ahead = announced(events, now).filter(({ id }) => eventId === undefined || id === eventId)
  const dates = formatLifeDates(person)
  const name = `*${person.honoureeFullName.replaceAll('*', '')}*`
  const end = ahead.length === 0 ? announcementMessages.page : announcementMessages.latest
  const parts = [[name, dates], ...ahead.map(linesOf), [end, link]]
  return parts.map((lines) => lines.filter(Boolean).join('\n')).join('\n\n')
}

function linesOf(event: FuneralEvent): (string | null)[] {
  const { when, where } = whenAndWhere(event)
  const { cancelled, watch, dress, bring } = announcementMessages
  if (event.isCancelled) return [cancelled(nameOf(event)), when, where]
  return [
    nameOf(event),
    when,
    where,
    event.streamUrl && watch(hostOf(event.streamUrl)),
    event.dress && `${dress} ${event.dress}`,
    event.bring && `${bring} ${event.bring}`,
  ]
}

/** `youtube.com` of a link. */
function hostOf(link: string): string {
  return /^https:\/\/(?:www\.)?([^/:?#]+)/iu.exec(link)?.[1]?.toLowerCase() ?? link
}
