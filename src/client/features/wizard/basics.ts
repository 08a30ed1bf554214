import type { Memorial } from '#shared/memorials.ts'
import { hasTexts } from './use-draft.ts'

/** Form values of step 1. */
export type Basics = { honoureeFullName: string; title: string; born: DateParts; died: DateParts }

/** Form values of a memorial; empty values if it doesn't exist yet. */
export function basicsOf(memorial: Memorial | null | undefined): Basics {
  return memorial
    ? {
        honoureeFullName: memorial.honoureeFullName,
        title: memorial.title ?? '',
        born: partsOf(memorial.dateOfBirth),
        died: partsOf(memorial.dateOfDeath),
      }
    : { honoureeFullName: '', title: '', born: NO_DATE, died: NO_DATE }
}

export function inputOf({ honoureeFullName, title, born, died }: Basics) {
  return { honoureeFullName, title, dateOfBirth: dateOf(born), dateOfDeath: dateOf(died) }
}

/** Whether a draft read from this device has the shape of {@link Basics}. */
export function isBasics(values: unknown): values is Basics {
  if (!hasTexts(values, ['honoureeFullName', 'title'])) return false
  const { born, died } = values as { born?: unknown; died?: unknown }
  return [born, died].every((date) => hasTexts(date, ['day', 'month', 'year']))
}

/** A date as typed: three inputs, all text. */
export type DateParts = { day: string; month: string; year: string }

export const NO_DATE: DateParts = { day: '', month: '', year: '' }

/** Splits the calendar date `1948-03-14` into parts without leading zeros. */
export function partsOf(date: string | null): DateParts {
  const [year = '', month = '', day = ''] = date?.split('-') ?? []
  return date ? { day: String(Number(day)), month: String(Number(month)), year } : NO_DATE
}

/** Joins the parts to a calendar date; null without any. The schema rejects the text that an incomplete date gives. */
export function dateOf({ day, month, year }: DateParts): string | null {
  const [d, m, y] = [day.trim(), month.trim(), year.trim()]
  if (d === '' && m === '' && y === '') return null
  return `${y}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`
}
