import { wallClock } from '../src/shared/dates.ts'
import type { FuneralEventInput } from '../src/shared/funeral/funeral.ts'
import { DAY_MS, FUNERAL_EVENTS_MAX, LATER_GATHERINGS_MAX } from '../src/shared/limits.ts'

export const HARARE = 'Africa/Harare'
export type GatheringInput = Partial<FuneralEventInput> & { dateTime: string }

/** A clock time in Harare this many days after today. */
export function inHarare(days: number, clock: string): string {
  const { year, month, day } = wallClock(new Date(Date.now() + days * DAY_MS).toISOString(), HARARE)
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}T${clock}`
}

/** As many gatherings as a memorial can have, from ten days ahead. */
function twelve(fields: (index: number) => Partial<FuneralEventInput>): GatheringInput[] {
  return Array.from({ length: FUNERAL_EVENTS_MAX + LATER_GATHERINGS_MAX }, (_, index) => ({
    kind: index < FUNERAL_EVENTS_MAX ? ('CHURCH' as const) : ('ANNIVERSARY' as const),
    dateTime: inHarare(10 + 30 * index, '10:00'),
    endDateTime: inHarare(12 + 30 * index, '13:30'),
    ...fields(index),
  }))
}

/** With every text as long as it may be. */
export function longestGatherings(): GatheringInput[] {
  const text = 'Nhamodzenyika Mukanganwi-Ndlovu of Dangamvura '.repeat(22)
  return twelve(() => ({
    title: text.slice(0, 200).trim(),
    venueName: text.slice(0, 200).trim(),
    addressLine: text.slice(0, 500).trim(),
    wayThere: text.slice(0, 500).trim(),
    dress: text.slice(0, 200).trim(),
    notes: text.slice(0, 1000).trim(),
  }))
}

const PLACES = ['St Agnes', 'Yeovil Cemetery', 'The family home', 'Dangamvura Hall'] as const

/** As families write them. */
export function usualGatherings(): GatheringInput[] {
  return twelve((index) => ({
    venueName: PLACES[index % PLACES.length],
    addressLine: `${index + 4} Chisamba Street`,
    city: 'Mutare',
    pin: { latitude: -18.9 - index / 100, longitude: 32.6 },
    wayThere: `From the Shell at Sakubva take road number ${index + 2} on the left, past the blue tuck shop, then ${index + 1} km of gravel until the water tank.`,
    dress: 'Black and white, a hat or a scarf for the women',
    bring: 'A plate, a cup and a blanket',
    contact: `Farai, 077 123 45${index + 10}`,
    contactFor: 'EVERYBODY',
    notes: `We sing from ${index + 1} o'clock. Lunch is at the house after it.`,
    streamUrl: `https://www.youtube.com/watch?v=dQw4w9WgXc${index}`,
    takesReplies: true,
  }))
}
