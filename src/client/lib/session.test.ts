import { expect, test } from 'vitest'
import { NO_SESSION } from '#shared/pages/pages.ts'
import { cameWithoutSession } from './browser/browser.ts'
import { greetingName } from './session.ts'

test('a user is greeted by first name, else by email address, else "User"', () => {
  const person = {
    id: 'usr_1',
    email: 'rudo@family.test',
    firstName: 'Rudo',
    lastName: 'Moyo',
    isAdmin: false,
  }
  expect([
    greetingName(person),
    greetingName({ ...person, firstName: '' }),
    greetingName({ ...person, firstName: '', email: '' }),
  ]).toEqual(['Rudo', 'rudo@family.test', 'User'])
})

test('only a fresh document can say that there is no session', () => {
  const serverTiming = [{ name: NO_SESSION, description: '', duration: 0, toJSON: () => ({}) }]
  expect([
    cameWithoutSession([{ transferSize: 300, serverTiming }]),
    cameWithoutSession([{ transferSize: 300, serverTiming: [] }]),
    cameWithoutSession([{ transferSize: 0, serverTiming }]),
    cameWithoutSession([{ serverTiming }]),
    cameWithoutSession([{ transferSize: 300 }]),
    cameWithoutSession([{}]),
    cameWithoutSession([]),
  ]).toEqual([true, false, false, false, false, false, false])
})
