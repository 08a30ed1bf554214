import { expect, test } from 'vitest'
import { mendErrors } from './use-form.ts'

const [EMPTY, MISMATCH, TAKEN] = ['Please enter a password', 'Passwords do not match', 'This is taken']

test('an error goes when its field is mended, and stays while it is still wrong', () => {
  const shown = { password: EMPTY, email: EMPTY }
  expect(mendErrors(shown, ['password'], shown, { email: EMPTY })).toEqual({ email: EMPTY })
  expect(mendErrors(shown, ['password'], shown, shown)).toBe(shown)
})

test('a change of one field can mend another', () => {
  const shown = { confirmPassword: MISMATCH }
  expect(mendErrors(shown, ['password'], shown, {})).toEqual({})
})

test('an error that only the server knows goes with the first change of its field', () => {
  const shown = { email: TAKEN, name: TAKEN }
  expect(mendErrors(shown, ['email'])).toEqual({ name: TAKEN })
})
