import { MONTHS } from '../dates.ts'
import { ABOUT_YEARS } from '../limits.ts'

/** How exactly a date of birth or death is known. ABOUT: only roughly which year. */
export const DATE_PRECISIONS = ['DAY', 'MONTH', 'YEAR', 'ABOUT'] as const
export type DatePrecision = (typeof DATE_PRECISIONS)[number]

/** Calendar dates. One known less exactly is the first day of its month or year (`1931-01-01`). */
export type LifeDates = {
  dateOfBirth: string | null
  dateOfBirthPrecision: DatePrecision
  dateOfDeath: string | null
  dateOfDeathPrecision: DatePrecision
}

const KNOWN_LENGTH = { DAY: 10, MONTH: 7, YEAR: 4, ABOUT: 4 } as const

/** The known part of a calendar date: `1931-05-12`, `1931-05` or `1931` (ISO 8601 with reduced precision). */
export function knownPart(date: string, precision: DatePrecision): string {
  return date.slice(0, KNOWN_LENGTH[precision])
}

/** The first day of the month or year that is known. */
export function firstDay(date: string, precision: DatePrecision): string {
  return `${knownPart(date, precision)}-01-01`.slice(0, 10)
}

/** False only if the death was before the birth however the less exact dates are read. */
export function isPossibleLife(dates: LifeDates): boolean {
  const { dateOfBirth: born, dateOfDeath: died } = dates
  if (born === null || died === null) return true
  const earliest = dates.dateOfBirthPrecision === 'ABOUT' ? `${Number(born.slice(0, 4)) - ABOUT_YEARS}` : born
  const latest =
    dates.dateOfDeathPrecision === 'ABOUT'
      ? `${Number(died.slice(0, 4)) + ABOUT_YEARS}`
      : knownPart(died, dates.dateOfDeathPrecision)
  return earliest.slice(0, latest.length) <= latest
}

/** `14 March 1948`, `March 1948`, `1948` or `about 1948`. */
function formatLifeDate(date: string, precision: DatePrecision): string {
  const [year = '', month, day] = knownPart(date, precision).split('-')
  if (precision === 'ABOUT') return `about ${year}`
  const monthName = month && MONTHS[Number(month) - 1]
  return [day && Number(day), monthName, year].filter(Boolean).join(' ')
}

/** `14 March 1948 – 2 June 2026`, `about 1931 – 2019`, or the one date that is known; null if neither is. */
export function formatLifeDates(dates: LifeDates): string | null {
  const born = dates.dateOfBirth && formatLifeDate(dates.dateOfBirth, dates.dateOfBirthPrecision)
  const died = dates.dateOfDeath && formatLifeDate(dates.dateOfDeath, dates.dateOfDeathPrecision)
  if (born && died) return `${born} – ${died}`
  if (born) return `Born ${born}`
  return died && `Died ${died}`
}

/** `1948–2026`, `about 1931 – 2019`, `born 1948` or `died about 2026`; null if neither date is known. */
export function lifeYears(dates: LifeDates): string | null {
  const yearOf = (date: string | null, precision: DatePrecision) =>
    date && formatLifeDate(date, precision === 'ABOUT' ? 'ABOUT' : 'YEAR')
  const born = yearOf(dates.dateOfBirth, dates.dateOfBirthPrecision)
  const died = yearOf(dates.dateOfDeath, dates.dateOfDeathPrecision)
  if (born && died) return `${born}${/\D/u.test(born + died) ? ' – ' : '–'}${died}`
  if (born) return `born ${born}`
  return died && `died ${died}`
}
