import { expect, test } from 'vitest'
import { aGathering } from './a-gathering.ts'
import { CLOCK_WORDS } from './clock-words.ts'
import type { FuneralEvent } from './funeral.ts'
import { changeOf, hostOf, untilText } from './gathering-words.ts'

const at = (instant: string) => Date.parse(instant)
const moments = {
  start: '2026-06-06T08:00:00.000Z',
  end: '2026-06-06T10:00:00.000Z',
  zone: 'Africa/Harare',
}

test('a stream says the day, then the hours until it begins, then that it is live', () => {
  const says = (instant: string) => CLOCK_WORDS.stream(moments, at(instant))
  expect(
    [
      '2026-06-01T00:00:00Z',
      '2026-06-05T12:00:00Z',
      '2026-06-06T01:59:59Z',
      '2026-06-06T02:00:00Z',
      '2026-06-06T02:30:00Z',
      '2026-06-06T06:00:00Z',
      '2026-06-06T06:30:00Z',
      '2026-06-06T07:29:59Z',
      '2026-06-06T07:30:00Z',
      '2026-06-06T08:00:00Z',
      '2026-06-06T09:59:59Z',
      '2026-06-06T10:00:00Z',
    ].map(says),
  ).toEqual([
    'Begins Saturday 6 June 2026, 10:00, Harare time',
    'Begins tomorrow, 10:00, Harare time',
    'Begins today, 10:00, Harare time',
    'Begins in 6 h',
    'Begins in 5 h',
    'Begins in 2 h',
    'Begins in 1 h',
    'Begins in 1 h',
    'Begins in less than half an hour',
    'Live now',
    'Live now',
    '',
  ])
})

test('a change was today, yesterday or on a date, by the clocks of the place', () => {
  const change = { ...moments, start: '2026-06-03T21:00:00.000Z' }
  expect(
    ['2026-06-03T21:59:00Z', '2026-06-03T22:00:00Z', '2026-06-04T22:00:00Z'].map((instant) =>
      CLOCK_WORDS.changed(change, at(instant)),
    ),
  ).toEqual(['today', 'yesterday', 'on 3 June'])
})

test('an end has its date if that is another day at the place', () => {
  const until = (endDateTime: string | null, timeZone = 'Africa/Harare') =>
    untilText(aGathering({ endDateTime, timeZone }))
  expect([
    until(null),
    until('2026-06-06T11:30:00.000Z'),
    until('2026-06-06T22:00:00.000Z'),
    until('2026-06-06T22:00:00.000Z', 'Europe/London'),
  ]).toEqual([null, 'until 13:30', 'until Sunday 7 June, 00:00', 'until 23:00'])
})

test('a link is named by its host', () => {
  expect(['https://www.youtube.com/watch?v=1', 'https://us02web.zoom.us/j/1'].map(hostOf)).toEqual([
    'youtube.com',
    'us02web.zoom.us',
  ])
})

/** What a gathering says about its change from these facts. */
function changed(event: Partial<FuneralEvent>, before: Partial<NonNullable<FuneralEvent['change']>>) {
  const { dateTime, endDateTime, timeZone, isCancelled } = aGathering()
  const facts = { dateTime, endDateTime, timeZone, place: '', isCancelled }
  const change = changeOf(aGathering({ ...event, change: { at: 'then', ...facts, ...before } }))
  return change && [change.now, change.before]
}

test('a change says what it is now, and what it was', () => {
  const place = { venueName: 'Warren Hills', city: 'Harare' }
  expect([
    changed({}, { dateTime: '2026-06-06T07:00:00.000Z' }),
    changed({}, { dateTime: '2026-06-05T08:00:00.000Z' }),
    changed({}, { timeZone: 'Europe/London' }),
    changed({ endDateTime: '2026-06-06T11:00:00.000Z' }, {}),
    changed({}, { endDateTime: '2026-06-06T11:00:00.000Z' }),
    changed(place, { place: 'St Mary’s, Mutare' }),
    changed({ city: 'Harare' }, {}),
    changed({}, { place: 'St Mary’s' }),
    changed(place, { place: 'St Mary’s', dateTime: '2026-06-06T07:00:00.000Z' }),
    changed({}, { isCancelled: true }),
  ]).toEqual([
    ['now 10:00', 'was 09:00'],
    ['now Saturday 6 June, 10:00', 'was Friday 5 June, 10:00'],
    ['now 10:00, Harare time', 'was 09:00, London time'],
    ['now until 13:00', null],
    ['the end isn’t known yet', 'was until 13:00'],
    ['now at Warren Hills', 'was at St Mary’s, Mutare'],
    ['now at Harare', null],
    ['the place isn’t known yet', 'was at St Mary’s'],
    ['now 10:00, now at Warren Hills', 'was 09:00, was at St Mary’s'],
    ['it takes place after all', null],
  ])
})

test('the same venue at another address is named with it', () => {
  const place = { venueName: 'Warren Hills', addressLine: '1 Bishop Road', city: 'Harare' }
  const from = (before: string) => changed(place, { place: before })
  expect([
    from('Warren Hills, Mutare'),
    from('Warren Hills, 2 Bishop Road, Harare'),
    from('Warren Hills, 1 Bishop Road, Harare, Zimbabwe'),
    from('Harare'),
    from('Warren'),
    from('Warren Hills'),
  ]).toEqual([
    ['now at Warren Hills, 1 Bishop Road, Harare', 'was at Warren Hills, Mutare'],
    ['now at Warren Hills, 1 Bishop Road, Harare', 'was at Warren Hills, 2 Bishop Road, Harare'],
    ['now at Warren Hills, 1 Bishop Road, Harare', 'was at Warren Hills, 1 Bishop Road, Harare, Zimbabwe'],
    ['now at Warren Hills', 'was at Harare'],
    ['now at Warren Hills', 'was at Warren'],
    ['now at Warren Hills, 1 Bishop Road, Harare', 'was at Warren Hills'],
  ])
})

test('a moved pin is elsewhere on the map, unless the place has another name, too', () => {
  const pin = { latitude: -18.97, longitude: 32.67 }
  const moved = { ...pin, latitude: -18.9 }
  expect([
    changed({ pin: moved }, { pin }),
    changed({ pin: { ...pin, latitude: -18.971 } }, { pin }),
    changed({ pin }, {}),
    changed({ venueName: 'Warren Hills', pin: moved }, { place: 'St Mary’s', pin }),
  ]).toEqual([['now elsewhere on the map', null], null, null, ['now at Warren Hills', 'was at St Mary’s']])
})

test('no change is none, and a cancelled gathering has no other', () => {
  expect([
    changeOf(aGathering()),
    changed({}, {}),
    changed({ isCancelled: true }, { dateTime: '2026-06-06T07:00:00.000Z' }),
  ]).toEqual([null, null, null])
})
