/** A date as the family types it: three boxes, each text. */
export type DateParts = { day: string; month: string; year: string }

export const NO_DATE: DateParts = { day: '', month: '', year: '' }

/** The boxes of a calendar date `1948-03-14`, without leading zeros. */
export function partsOf(date: string | null): DateParts {
  const [year = '', month = '', day = ''] = date?.split('-') ?? []
  return date ? { day: String(Number(day)), month: String(Number(month)), year } : NO_DATE
}

/**
 * The calendar date of the boxes; null when all three are empty. Boxes filled in part give text that the schema refuses,
 * so that the family is asked for the rest.
 */
export function dateOf({ day, month, year }: DateParts): string | null {
  const [d, m, y] = [day.trim(), month.trim(), year.trim()]
  if (d === '' && m === '' && y === '') return null
  return `${y}-${m.padStart(2, '0')}-${d.padStart(2, '0')}`
}
