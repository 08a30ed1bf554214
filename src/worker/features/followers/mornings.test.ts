import { expect, test } from 'vitest'
import { dayIn, isAnniversary, nextMorning } from '#worker/features/followers/mornings.ts'

const iso = (at: number) => new Date(at).toISOString()

test.each([
  ['Africa/Harare', '2026-06-02T05:59:00Z', '2026-06-02T06:00:00.000Z'],
  ['Africa/Harare', '2026-06-02T06:00:00Z', '2026-06-03T06:00:00.000Z'],
  ['Pacific/Auckland', '2026-06-01T21:00:00Z', '2026-06-02T20:00:00.000Z'],
  ['America/Los_Angeles', '2026-06-02T03:00:00Z', '2026-06-02T15:00:00.000Z'],
  // The clock is put forward in this night.
  ['Europe/London', '2026-03-28T08:00:00Z', '2026-03-29T07:00:00.000Z'],
])('the next morning in %s after %s is %s', (zone, after, morning) => {
  expect(iso(nextMorning(zone, Date.parse(after)))).toBe(morning)
})

test('a day is the day where the memorial is', () => {
  const at = Date.parse('2026-06-01T21:00:00Z')
  expect(dayIn('Africa/Harare', at)).toBe('2026-06-01')
  expect(dayIn('Pacific/Auckland', at)).toBe('2026-06-02')
  expect(dayIn('America/Los_Angeles', at)).toBe('2026-06-01')
})

test.each([
  ['1948-03-14', '2026-03-14', true],
  ['1948-03-14', '2026-03-15', false],
  ['2026-03-14', '2026-03-14', false],
  ['1948-02-29', '2026-02-28', true],
  ['1948-02-29', '2028-02-28', false],
  ['1948-02-29', '2028-02-29', true],
  ['1949-02-28', '2028-02-28', true],
  ['1949-02-28', '2028-02-29', false],
])('%s returns on %s: %s', (date, day, returns) => {
  expect(isAnniversary(date, day)).toBe(returns)
})
