import { expect, test } from 'vitest'
import { formatDuration, formatService } from '#shared/dates.ts'
import { formatDate, formatRelative, formatSince } from './dates.ts'

const HOUR = 3_600_000
const instant = '2026-11-20T12:00:00.000Z'
const after = (ms: number) => formatRelative(instant, Date.parse(instant) + ms)

test('a relative time is "Just now", then hours, then days, then the date', () => {
  expect([0, HOUR - 1, HOUR, 2 * HOUR, 24 * HOUR - 1].map(after)).toEqual([
    'Just now',
    'Just now',
    '1 hour ago',
    '2 hours ago',
    '23 hours ago',
  ])
  expect([24 * HOUR, 48 * HOUR, 7 * 24 * HOUR - 1, 7 * 24 * HOUR].map(after)).toEqual([
    '1 day ago',
    '2 days ago',
    '6 days ago',
    formatDate(instant),
  ])
  expect(formatDate(instant)).toMatch(/^2[01] November 2026$/u)
})

test('since is a time of today, yesterday, a weekday of this week, or a date', () => {
  // Local time, so that the result does not depend on the zone of the machine.
  const at = (day: number, hour = 9, minute = 5) => new Date(2026, 10, day, hour, minute)
  const since = (date: Date) => formatSince(date.toISOString(), at(20, 23).getTime())
  expect([at(20), at(19, 23, 59), at(18), at(14), at(13), new Date(2025, 10, 18)].map(since)).toEqual([
    '09:05',
    'yesterday',
    'Wednesday',
    'Saturday',
    '13 November 2026',
    '18 November 2025',
  ])
})

test('a service shows the local time of its venue and names the place', () => {
  expect(formatService('2026-06-06T08:00:00.000Z', 'Africa/Harare')).toBe(
    'Saturday 6 June 2026, 10:00, Harare time',
  )
})

test('a duration is shown in minutes and seconds', () => {
  expect([9, 72, 59.6].map(formatDuration)).toEqual(['9 s', '1 min 12 s', '1 min 0 s'])
})
