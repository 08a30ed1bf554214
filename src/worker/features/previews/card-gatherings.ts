import {
  changesOf,
  nextAnnounced,
  placeOf,
  shortTimeOf,
  timesOf,
  whenAndWhere,
} from '#shared/funeral/announcement.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { KIND_NAME, nameOf } from '#shared/funeral/gatherings.ts'
import { announcementMessages } from '#shared/funeral/announcement-messages.ts'
import type { CardGathering } from '#worker/features/previews/announcement-svg.ts'
import type { PreviewGathering } from '#worker/features/previews/card-svg.ts'
import { nearlyWritable } from '#worker/features/previews/card-text.ts'

/** A gathering for a card: without emoji, and with what the card's font can write. */
export function toCardGathering(event: FuneralEvent): CardGathering {
  const { isCancelled } = event
  const changes = isCancelled ? { time: false, place: false } : changesOf(event)
  const written: FuneralEvent = {
    ...event,
    venueName: writable(event.venueName),
    addressLine: writable(event.addressLine),
    city: writable(event.city),
    region: writable(event.region),
    country: writable(event.country),
    postalCode: writable(event.postalCode),
  }
  const where = placeOf(written)
  const isChanged = changes.time || changes.place
  const place = [written.venueName ?? written.addressLine, written.city].filter(Boolean).join(', ')
  const brief = [shortTimeOf(event), place].filter(Boolean).join(' · ')
  return {
    title: writable(nameOf(event)) ?? KIND_NAME[event.kind],
    isCancelled,
    when: whenAndWhere(event).when,
    isTimeChanged: changes.time,
    where: where === '' ? null : changes.place ? announcementMessages.changed(where) : where,
    isPlaceChanged: changes.place && where !== '',
    brief: isChanged ? announcementMessages.changed(brief) : brief,
  }
}

function writable(text: string | null): string | null {
  return text === null ? null : nearlyWritable(text)
}

/** What a link's preview shows of these gatherings at this moment; null if none is ahead. */
export function previewGathering(events: readonly FuneralEvent[], now: number): PreviewGathering | null {
  const next = nextAnnounced(events, now)
  return next && toPreviewGathering(next)
}

/** `Burial`, `Saturday 6 June 2026, 10:00, Harare time`, `Mutare`. */
function toPreviewGathering(event: FuneralEvent): PreviewGathering {
  const { title, isCancelled } = toCardGathering(event)
  return {
    title: isCancelled ? announcementMessages.cancelled(title) : title,
    when: timesOf({ ...event, endDateTime: null }),
    where: writable(event.city) ?? writable(event.venueName),
  }
}
