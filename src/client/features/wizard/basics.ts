import { MONTHS } from '#shared/dates.ts'
import { knownPart, type DatePrecision, type LifeDates } from '#shared/memorials/life-dates.ts'
import { createMemorialInput, isCalendarDate, type Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { inputErrors } from '#client/lib/input-errors.ts'
import type { FieldErrors } from '#client/lib/use-form.ts'
import { hasTexts } from './use-draft.ts'

/** Form values of step 1. */
export type Basics = { honoureeFullName: string; title: string; born: DateParts; died: DateParts }

/** Form values of a memorial; empty values if it doesn't exist yet. */
export function basicsOf(memorial: Memorial | null | undefined): Basics {
  return memorial
    ? {
        honoureeFullName: memorial.honoureeFullName,
        title: memorial.title ?? '',
        born: partsOf(memorial.dateOfBirth, memorial.dateOfBirthPrecision),
        died: partsOf(memorial.dateOfDeath, memorial.dateOfDeathPrecision),
      }
    : { honoureeFullName: '', title: '', born: NO_DATE, died: NO_DATE }
}

export function inputOf({ honoureeFullName, title, ...dates }: Basics) {
  return { honoureeFullName, title, ...lifeDatesOf(dates) }
}

function lifeDatesOf({ born, died }: Pick<Basics, 'born' | 'died'>): LifeDates {
  return {
    dateOfBirth: dateOf(born),
    dateOfBirthPrecision: precisionOf(born),
    dateOfDeath: dateOf(died),
    dateOfDeathPrecision: precisionOf(died),
  }
}

/** Errors by field. A date of which only the year was typed asks for nothing else; one that no calendar has is named. */
export function basicsErrors(basics: Basics): FieldErrors {
  const errors = inputErrors(createMemorialInput, inputOf(basics))
  for (const [name, parts] of [
    ['dateOfBirth', basics.born],
    ['dateOfDeath', basics.died],
  ] as const) {
    const [day, month] = knownTexts(parts)
    if (errors[name] && day === '' && month === '') errors[name] = messages.memorial.yearInvalid
    else if (errors[name] === messages.memorial.dateInvalid)
      errors[name] = [noSuchDate(parts), errors[name]].filter(Boolean).join('. ')
  }
  return errors
}

/** "There is no 31 April", "There is no 29 February 1949" or "There is no month 13"; null for a date that is only incomplete. */
function noSuchDate(parts: DateParts): string | null {
  const [day, month, year] = knownTexts(parts)
  if (month === '') return null
  const name = MONTHS[Number(month) - 1]
  if (!name) return `There is no month ${Number(month)}`
  if (day === '') return null
  const exists = (inYear: string) => isCalendarDate(dateOf({ day, month, year: inYear }) ?? '')
  // A leap year has every day that any year has.
  if (!exists('2000')) return `There is no ${Number(day)} ${name}`
  const isLeapDay = exists('2000') && !exists('2001')
  return isLeapDay && /^\d{4}$/u.test(year) && !exists(year) ? `There is no 29 February ${year}` : null
}

/** The dates for a preview, without those that are still incomplete. */
export function realDatesOf(basics: Basics): LifeDates {
  const dates = lifeDatesOf(basics)
  const realDate = (date: string | null) => (date !== null && isCalendarDate(date) ? date : null)
  return { ...dates, dateOfBirth: realDate(dates.dateOfBirth), dateOfDeath: realDate(dates.dateOfDeath) }
}

/** Whether a draft read from this device has the shape of {@link Basics}. */
export function isBasics(values: unknown): values is Basics {
  if (!hasTexts(values, ['honoureeFullName', 'title'])) return false
  const { born, died } = values as { born?: unknown; died?: unknown }
  return [born, died].every((date) => hasTexts(date, ['day', 'month', 'year']))
}

/**
 * A date as typed: three inputs, all text, and whether the year is only roughly known; then day and month don't count.
 * Drafts of older versions have no `isAbout`.
 */
export type DateParts = { day: string; month: string; year: string; isAbout?: boolean }

export const NO_DATE: DateParts = { day: '', month: '', year: '' }

/** Splits the calendar date `1948-03-14` into the parts that are known, without leading zeros. */
export function partsOf(date: string | null, precision: DatePrecision): DateParts {
  if (date === null) return NO_DATE
  const [year = '', month = '', day = ''] = knownPart(date, precision).split('-')
  const parts = { day: day.replace(/^0/u, ''), month: month.replace(/^0/u, ''), year }
  return precision === 'ABOUT' ? { ...parts, isAbout: true } : parts
}

/**
 * Joins the parts to a calendar date, with the first of the month or year for what is not known; null without any part.
 * The schema rejects the text that an impossible date gives, such as a day without its month.
 */
export function dateOf(parts: DateParts): string | null {
  const [day, month, year] = knownTexts(parts)
  if (day === '' && month === '' && year === '') return null
  const first = { MONTH: [month, '1'], YEAR: ['1', '1'], ABOUT: ['1', '1'], DAY: [month, day] } as const
  const [m, d] = first[precisionOf(parts)]
  return `${year}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`
}

/** How exact the typed date is, by which inputs are empty. */
export function precisionOf(parts: DateParts): DatePrecision {
  const [day, month, year] = knownTexts(parts)
  if (year === '' || day !== '') return 'DAY'
  if (parts.isAbout) return 'ABOUT'
  return month === '' ? 'YEAR' : 'MONTH'
}

function knownTexts({ day, month, year, isAbout }: DateParts): [day: string, month: string, year: string] {
  return isAbout ? ['', '', year.trim()] : [day.trim(), month.trim(), year.trim()]
}
