import { lifeYears, type LifeDates } from '../memorials/life-dates.ts'
import { paths } from './pages.ts'
import { SITE_NAME } from '../site-name.ts'

/** Document titles of the pages about the service. */
export const SERVICE_TITLES = {
  [paths.home]: 'Online memorials for the family',
  [paths.about]: 'About',
  [paths.faq]: 'Questions and answers',
  [paths.contact]: 'Contact support',
  [paths.terms]: 'Terms of service',
  [paths.privacy]: 'Privacy policy',
} as const

/** True for pages about the service itself, the only ones besides public memorials that search engines may index. */
export function isAboutTheService(pathname: string): boolean {
  return Object.hasOwn(SERVICE_TITLES, pathname)
}

/** The title of a document: `{title} · Keeping Legacies Alive`, or only the name of the service. */
export function documentTitle(title: string | null): string {
  return title ? `${title} · ${SITE_NAME}` : SITE_NAME
}

/** `Tendai Moyo 1948–2026`, `Tendai Moyo, about 1931 – 2019`, `Tendai Moyo, died 2026`, or only the name. */
export function memorialTitle({
  honoureeFullName,
  ...dates
}: LifeDates & { honoureeFullName: string }): string {
  const years = lifeYears(dates)
  if (years === null) return honoureeFullName
  return `${honoureeFullName}${/^\d/u.test(years) ? '' : ','} ${years}`
}

/** The first word of a name. */
export function firstNameOf(name: string): string {
  return name.trim().split(/\s+/u)[0] ?? ''
}

/** First letters of the first and last word of a name, at most 2, in capitals. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u)
  const picked = words.length > 1 ? [words[0], words.at(-1)] : words
  return picked.map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '').join('')
}
