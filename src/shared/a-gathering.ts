import type { FuneralEvent } from './funeral.ts'

/** For tests: a burial in Harare without anything else, with these fields changed. */
export function aGathering(fields: Partial<FuneralEvent> = {}): FuneralEvent {
  return {
    id: 'fun_1',
    kind: 'BURIAL',
    title: null,
    dateTime: '2026-06-06T08:00:00.000Z',
    endDateTime: null,
    timeZone: 'Africa/Harare',
    venueName: null,
    addressLine: null,
    city: null,
    region: null,
    country: null,
    postalCode: null,
    notes: null,
    pin: null,
    wayThere: null,
    dress: null,
    bring: null,
    contact: null,
    audience: 'EVERYBODY',
    streamUrl: null,
    recordingUrl: null,
    isCancelled: false,
    change: null,
    takesReplies: false,
    repliesUntil: null,
    isFull: false,
    programFileId: null,
    programFileName: null,
    programSize: null,
    ...fields,
  }
}
