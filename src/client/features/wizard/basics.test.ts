import { expect, test } from 'vitest'
import { basicsErrors, dateOf, NO_DATE, partsOf, precisionOf } from './basics.ts'

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
  const date = 'Please enter a real date, with day, month and year'
  const year = 'Please enter the year in four digits'
  const typed = [
    [{ day: '9', month: '', year: '1948' }, date],
    [{ day: '', month: '3', year: '' }, date],
    [{ day: '31', month: '4', year: '1948' }, `There is no 31 April. ${date}`],
    [{ day: '30', month: '02', year: '1948' }, `There is no 30 February. ${date}`],
    [{ day: '29', month: '2', year: '1949' }, `There is no 29 February 1949. ${date}`],
    [{ day: '29', month: '2', year: '49' }, date],
    [{ day: '', month: '13', year: '1948' }, `There is no month 13. ${date}`],
    [{ day: '1', month: '3', year: '1066' }, date],
    [{ day: '1', month: '3', year: '48' }, date],
    [{ day: '', month: '', year: '48' }, year],
    [{ day: '1', month: '3', year: '48', isAbout: true }, year],
  ] as const
  const basics = { honoureeFullName: 'Tendai', title: '', died: NO_DATE }
  expect(typed.map(([born]) => [born, basicsErrors({ ...basics, born })['dateOfBirth']])).toEqual(typed)
  expect(basicsErrors({ ...basics, born: { day: '', month: '', year: '1948' } })).toEqual({})
})
