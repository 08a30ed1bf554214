/** A date as typed: three inputs, all text. */
export type DateParts = { day: string; month: string; year: string }

export const NO_DATE: DateParts = { day: '', month: '', year: '' }

/** Splits the calendar date `1948-03-14` into parts without leading zeros. */
export function partsOf(date: string | null): DateParts {
  const [year = '', month = '', day = ''] = date?.split('-') ?? []
  return date ? { day: String(Number(day)), month: String(Number(month)), year } : NO_DATE
}

/**
 * Joins the parts to a calendar date; null when all three are empty. An incomplete date gives text that the schema
 * rejects, so that the user is asked for the rest.
 */
export function dateOf({ day, month, year }: DateParts): string | null {
  const [d, m, y] = [day.trim(), month.trim(), year.trim()]
  if (d === '' && m === '' && y === '') return null
  return `${y}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`
}
