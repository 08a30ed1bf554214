import { expect, test } from 'vitest'
import {
  firstDay,
  formatLifeDates,
  isPossibleLife,
  lifeYears,
  type DatePrecision,
  type LifeDates,
} from './life-dates.ts'

type Known = [date: string, precision?: DatePrecision] | null

function life(born: Known, died: Known): LifeDates {
  const [dateOfBirth = null, dateOfBirthPrecision = 'DAY'] = born ?? []
  const [dateOfDeath = null, dateOfDeathPrecision = 'DAY'] = died ?? []
  return { dateOfBirth, dateOfBirthPrecision, dateOfDeath, dateOfDeathPrecision }
}

const LIVES: [LifeDates, dates: string | null, years: string | null][] = [
  [life(['1948-03-14'], ['2026-06-02']), '14 March 1948 – 2 June 2026', '1948–2026'],
  [life(['1948-03-14'], null), 'Born 14 March 1948', 'born 1948'],
  [life(null, ['2026-06-02']), 'Died 2 June 2026', 'died 2026'],
  [life(null, null), null, null],
  [life(['1931-01-01', 'YEAR'], ['2019-01-01', 'YEAR']), '1931 – 2019', '1931–2019'],
  [life(['1931-05-01', 'MONTH'], ['2019-05-12']), 'May 1931 – 12 May 2019', '1931–2019'],
  [life(['1931-01-01', 'ABOUT'], ['2019-05-12']), 'about 1931 – 12 May 2019', 'about 1931 – 2019'],
  [life(['1931-01-01'], ['2019-01-01', 'ABOUT']), '1 January 1931 – about 2019', '1931 – about 2019'],
  [life(['1931-01-01', 'ABOUT'], null), 'Born about 1931', 'born about 1931'],
  [life(null, ['2019-01-01', 'ABOUT']), 'Died about 2019', 'died about 2019'],
]

test('dates of a life are written out exactly as far as they are known', () => {
  expect(LIVES.map(([dates]) => [dates, formatLifeDates(dates), lifeYears(dates)])).toEqual(LIVES)
})

test('the day, month or year that is not known is stored as the first', () => {
  expect((['DAY', 'MONTH', 'YEAR', 'ABOUT'] as const).map((known) => firstDay('1931-05-12', known))).toEqual([
    '1931-05-12',
    '1931-05-01',
    '1931-01-01',
    '1931-01-01',
  ])
})

test('a death counts as before the birth only if no reading of both dates is possible', () => {
  const lives: [LifeDates, boolean][] = [
    [life(['1931-05-12'], ['1931-05-12']), true],
    [life(['1931-05-12'], ['1931-05-11']), false],
    [life(['1931-05-12'], ['1931-01-01', 'YEAR']), true],
    [life(['1931-05-12'], ['1931-05-01', 'MONTH']), true],
    [life(['1931-05-12'], ['1931-04-01', 'MONTH']), false],
    [life(['1931-05-12'], ['1930-01-01', 'YEAR']), false],
    [life(['1931-05-01', 'MONTH'], ['1931-05-01']), true],
    [life(['1931-05-01', 'MONTH'], ['1931-04-30']), false],
    [life(['1931-01-01', 'YEAR'], ['1931-01-01', 'YEAR']), true],
    [life(['1931-01-01', 'ABOUT'], ['1921-01-01']), true],
    [life(['1931-01-01', 'ABOUT'], ['1920-12-31']), false],
    [life(['1931-05-12'], ['1921-01-01', 'ABOUT']), true],
    [life(['1931-05-12'], ['1920-01-01', 'ABOUT']), false],
    [life(['1931-01-01', 'ABOUT'], ['1911-01-01', 'ABOUT']), true],
    [life(['1931-05-12'], null), true],
  ]
  expect(lives.map(([dates]) => [dates, isPossibleLife(dates)])).toEqual(lives)
})
