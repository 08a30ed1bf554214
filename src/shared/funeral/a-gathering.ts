import type { FuneralEvent } from './funeral.ts'
import { PLAIN_GATHERING } from './gatherings.ts'

/** For tests: a burial in Harare without anything else, with these fields changed. */
export function aGathering(fields: Partial<FuneralEvent> = {}): FuneralEvent {
  return {
    ...PLAIN_GATHERING,
    id: 'fun_1',
    kind: 'BURIAL',
    title: null,
    dateTime: '2026-06-06T08:00:00.000Z',
    timeZone: 'Africa/Harare',
    venueName: null,
    addressLine: null,
    city: null,
    region: null,
    country: null,
    postalCode: null,
    notes: null,
    programFileId: null,
    programFileName: null,
    programSize: null,
    ...fields,
  }
}
