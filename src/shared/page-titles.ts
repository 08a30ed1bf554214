import { paths } from './pages.ts'
import { SITE_NAME } from './site-name.ts'

/** What the documents of the pages about the service are called. */
export const SERVICE_TITLES = {
  [paths.home]: 'Online memorials for the family',
  [paths.about]: 'About',
  [paths.faq]: 'Questions and answers',
  [paths.contact]: 'Contact support',
  [paths.terms]: 'Terms of service',
  [paths.privacy]: 'Privacy policy',
} as const

/** The title of a document: `{title} · Keeping Legacies Alive`, or the name of the service alone. */
export function documentTitle(title: string | null): string {
  return title ? `${title} · ${SITE_NAME}` : SITE_NAME
}

type Titled = { honoureeFullName: string; dateOfBirth: string | null; dateOfDeath: string | null }

/** `Tendai Moyo 1948–2026`, or what of it is known. */
export function memorialTitle({ honoureeFullName, dateOfBirth, dateOfDeath }: Titled): string {
  const years = lifeYears(dateOfBirth, dateOfDeath)
  return years === null ? honoureeFullName : `${honoureeFullName} ${years}`
}

/** `1948–2026`, `1948–`, `–2026` of calendar dates; null where neither is known. */
export function lifeYears(born: string | null, died: string | null): string | null {
  const years = [born, died].map((date) => date?.slice(0, 4) ?? '')
  return years.some(Boolean) ? years.join('–') : null
}
