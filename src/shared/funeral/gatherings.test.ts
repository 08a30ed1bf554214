import { expect, test } from 'vitest'
import { aGathering } from './a-gathering.ts'
import type { FuneralEvent } from './funeral.ts'
import { arrange, foldedTitle, isUpcoming, PLAIN_GATHERING, whenText, withAllFields } from './gatherings.ts'

const at = (instant: string) => Date.parse(instant)

test('a gathering without an end is upcoming until two hours after its start', () => {
  const end = at('2026-06-06T10:00:00Z')
  expect([isUpcoming(aGathering(), end - 1), isUpcoming(aGathering(), end)]).toEqual([true, false])
  const vigil = aGathering({ endDateTime: '2026-06-07T04:00:00.000Z' })
  expect([isUpcoming(vigil, end), isUpcoming(vigil, at('2026-06-07T04:00:00Z'))]).toEqual([true, false])
})

test('gatherings are first until three days after the last one, then they fold', () => {
  const viewing = aGathering({ kind: 'VIEWING', dateTime: '2026-06-05T12:00:00.000Z' })
  const shownAt = (instant: string) => {
    const { upcoming, past, isFirst, isFolded } = arrange([viewing, aGathering()], at(instant))
    return [upcoming.length, past.length, isFirst, isFolded]
  }
  expect(shownAt('2026-06-05T13:59:00Z')).toEqual([2, 0, true, false])
  expect(shownAt('2026-06-05T14:00:00Z')).toEqual([1, 1, true, false])
  expect(shownAt('2026-06-06T10:00:00Z')).toEqual([0, 2, true, false])
  expect(shownAt('2026-06-09T09:59:00Z')).toEqual([0, 2, true, false])
  expect(shownAt('2026-06-09T10:00:00Z')).toEqual([0, 2, false, true])
  expect(arrange([], at('2026-06-09T10:00:00Z'))).toEqual({
    upcoming: [],
    past: [],
    isFirst: false,
    isFolded: false,
  })
})

test('a later gathering comes first again, and the funeral stays folded', () => {
  const unveiling = aGathering({ kind: 'UNVEILING', dateTime: '2027-06-05T08:00:00.000Z' })
  const { upcoming, isFirst, isFolded } = arrange([aGathering(), unveiling], at('2027-06-01T00:00:00Z'))
  expect([upcoming, isFirst, isFolded]).toEqual([[unveiling], true, true])
})

test('the folded line names the day of the burial and what came after it', () => {
  const church = aGathering({ kind: 'CHURCH', dateTime: '2026-06-05T08:00:00.000Z' })
  const lunch = aGathering({ kind: 'OTHER', title: 'Lunch', dateTime: '2026-06-07T10:00:00.000Z' })
  const nyaradzo = aGathering({ kind: 'NYARADZO', dateTime: '2026-07-04T08:00:00.000Z' })
  const celebration = aGathering({ kind: 'CELEBRATION', dateTime: '2026-08-01T22:30:00.000Z' })
  expect(foldedTitle([church, aGathering(), lunch])).toBe('Funeral, 6 June 2026')
  expect(foldedTitle([church, lunch])).toBe('Funeral, 7 June 2026')
  expect(foldedTitle([aGathering(), nyaradzo])).toBe(
    'Funeral, 6 June 2026, and Nyaradzo (memorial prayers) after it',
  )
  expect(foldedTitle([aGathering(), nyaradzo, celebration])).toBe(
    'Funeral, 6 June 2026, and 2 gatherings after it',
  )
  expect(foldedTitle([celebration])).toBe('Celebration of life, 2 August 2026')
})

test('a gathering that a phone kept from the version before is a plain one', () => {
  const { id, title, dateTime, timeZone } = aGathering({ title: 'Burial' })
  const [kept] = withAllFields([{ id, title, dateTime, timeZone } as FuneralEvent])
  expect(kept).toEqual({ ...PLAIN_GATHERING, id, title, dateTime, timeZone })
})

test('today and tomorrow are those of the place', () => {
  const burial = aGathering()
  expect(whenText(burial, at('2026-06-04T21:59:00Z'))).toBe('Saturday 6 June 2026, 10:00, Harare time')
  expect(whenText(burial, at('2026-06-04T22:00:00Z'))).toBe('Tomorrow, 10:00, Harare time')
  expect(whenText(burial, at('2026-06-05T22:00:00Z'))).toBe('Today, 10:00, Harare time')
  expect(whenText({ ...burial, timeZone: 'America/New_York' }, at('2026-06-06T03:59:00Z'))).toBe(
    'Tomorrow, 04:00, New York time',
  )
})
