import { expect, test } from 'vitest'
import { createMemorialInput } from '#shared/memorials.ts'
import { inputErrors } from '#client/lib/use-form.ts'
import { dateOf, NO_DATE, partsOf, precisionOf } from './basics.ts'

test('a date splits into three inputs and joins again', () => {
  const stored = [
    ['1948-03-09', 'DAY', { day: '9', month: '3', year: '1948' }],
    ['1948-10-01', 'MONTH', { day: '', month: '10', year: '1948' }],
    ['1948-01-01', 'YEAR', { day: '', month: '', year: '1948' }],
    ['1948-01-01', 'ABOUT', { day: '', month: '', year: '1948', isAbout: true }],
    [null, 'DAY', NO_DATE],
  ] as const
  for (const [date, precision, parts] of stored) {
    expect(partsOf(date, precision)).toEqual(parts)
    expect([dateOf(parts), precisionOf(parts)]).toEqual([date, precision])
  }
})

test('an approximate year leaves out the day and month that were typed before', () => {
  const parts = { day: '9', month: '3', year: '1948', isAbout: true }
  expect([dateOf(parts), precisionOf(parts)]).toEqual(['1948-01-01', 'ABOUT'])
  expect(dateOf({ ...parts, year: '' })).toBeNull()
})

test('an incomplete or impossible date gets an error message', () => {
  const typed = [
    { day: '9', month: '', year: '1948' },
    { day: '', month: '3', year: '' },
    { day: '', month: '', year: '48' },
    { day: '31', month: '2', year: '1948' },
    { day: '1', month: '3', year: '48' },
  ]
  const refused = typed.map((parts) =>
    inputErrors(createMemorialInput, { honoureeFullName: 'Tendai', dateOfBirth: dateOf(parts) }),
  )
  expect(refused).toEqual(
    typed.map(() => ({ dateOfBirth: 'Please enter a real date, with day, month and year' })),
  )
})
