import type { Memorial } from '#shared/memorials.ts'
import { dateOf, NO_DATE, partsOf, type DateParts } from './life-dates.ts'
import { hasTexts } from './use-draft.ts'

/** Step 1 as typed. */
export type Basics = { honoureeFullName: string; title: string; born: DateParts; died: DateParts }

/** A memorial as the form shows it; empty before there is one. */
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

/** What the server is sent. */
export function inputOf({ honoureeFullName, title, born, died }: Basics) {
  return { honoureeFullName, title, dateOfBirth: dateOf(born), dateOfDeath: dateOf(died) }
}

/** True when a draft of this device has the shape of {@link Basics}. */
export function isBasics(values: unknown): values is Basics {
  if (!hasTexts(values, ['honoureeFullName', 'title'])) return false
  const { born, died } = values as { born?: unknown; died?: unknown }
  return [born, died].every((date) => hasTexts(date, ['day', 'month', 'year']))
}
