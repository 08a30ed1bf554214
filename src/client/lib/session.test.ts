import { expect, test } from 'vitest'
import { nameToGreet } from './session.ts'

test('a person is called by the first name, else by the address, else "User"', () => {
  const person = {
    id: 'usr_1',
    email: 'rudo@family.test',
    firstName: 'Rudo',
    lastName: 'Moyo',
    isAdmin: false,
  }
  expect([
    nameToGreet(person),
    nameToGreet({ ...person, firstName: '' }),
    nameToGreet({ ...person, firstName: '', email: '' }),
  ]).toEqual(['Rudo', 'rudo@family.test', 'User'])
})
