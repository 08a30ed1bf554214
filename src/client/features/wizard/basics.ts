import type { Memorial } from '#shared/memorials.ts'
import { dateOf, NO_DATE, partsOf, type DateParts } from './life-dates.ts'
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

/** The form values as the API input. */
export function inputOf({ honoureeFullName, title, born, died }: Basics) {
  return { honoureeFullName, title, dateOfBirth: dateOf(born), dateOfDeath: dateOf(died) }
}

/** Whether a draft read from this device has the shape of {@link Basics}. */
export function isBasics(values: unknown): values is Basics {
  if (!hasTexts(values, ['honoureeFullName', 'title'])) return false
  const { born, died } = values as { born?: unknown; died?: unknown }
  return [born, died].every((date) => hasTexts(date, ['day', 'month', 'year']))
}
