import { expect, test } from 'vitest'
import { createMemorialInput } from '#shared/memorials.ts'
import { inputErrors } from '#client/lib/input-errors.ts'
import { dateOf, NO_DATE, partsOf } from './basics.ts'

test('a date splits into three inputs and joins again', () => {
  expect(partsOf('1948-03-09')).toEqual({ day: '9', month: '3', year: '1948' })
  expect(dateOf(partsOf('1948-03-09'))).toBe('1948-03-09')
  expect(partsOf(null)).toEqual(NO_DATE)
  expect(dateOf(NO_DATE)).toBeNull()
})

test('an incomplete or impossible date gets an error message', () => {
  const typed = [
    { day: '', month: '', year: '1948' },
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
