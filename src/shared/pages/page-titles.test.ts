import { expect, test } from 'vitest'
import { documentTitle, initialsOf, memorialTitle } from './page-titles.ts'

test("a memorial's title is the name with the years that are known", () => {
  const titles = (
    [
      ['1948-03-14', 'DAY', '2026-06-02'],
      ['1931-01-01', 'ABOUT', '2026-06-02'],
      ['1948-03-14', 'DAY', null],
      [null, 'DAY', '2026-06-02'],
      [null, 'DAY', null],
    ] as const
  ).map(([dateOfBirth, dateOfBirthPrecision, dateOfDeath]) =>
    memorialTitle({
      honoureeFullName: 'Tendai Moyo',
      dateOfBirth,
      dateOfBirthPrecision,
      dateOfDeath,
      dateOfDeathPrecision: 'DAY',
    }),
  )
  expect(titles).toEqual([
    'Tendai Moyo 1948–2026',
    'Tendai Moyo, about 1931 – 2026',
    'Tendai Moyo, born 1948',
    'Tendai Moyo, died 2026',
    'Tendai Moyo',
  ])
})

test('every document title ends with the name of the service', () => {
  expect([documentTitle('Login'), documentTitle(null)]).toEqual([
    'Login · Keeping Legacies Alive',
    'Keeping Legacies Alive',
  ])
})

test('initials are the first letters of the first and last word, in capitals', () => {
  const names = ['Tendai Rudo Moyo', 'rudo', '  nomsa   ndlovu ', '', 'Élise 𝒁ulu', 'A B C D']
  expect(names.map(initialsOf)).toEqual(['TM', 'R', 'NN', '', 'É𝒁', 'AD'])
})
