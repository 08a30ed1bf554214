import { LINK_CARD } from '#shared/limits.ts'
import type { PublicMemorialView } from '#shared/memorials.ts'
import { documentTitle, lifeYears, memorialTitle, SERVICE_TITLES } from '#shared/page-titles.ts'
import { SITE_NAME } from '#shared/site-name.ts'
import { isAboutTheService } from '#shared/pages.ts'
import { cardPath, NEUTRAL_CARD_PATH } from '#worker/features/previews/card-address.ts'
import { SERVICE_DESCRIPTIONS, SITE_DESCRIPTION } from '#worker/features/previews/descriptions.ts'
import { escapeHtml, escapeJson } from '#worker/platform/escape.ts'

export type PageInfo = {
  /** The memorial to show. Callers pass null unless it is public. */
  view: Pick<PublicMemorialView, 'memorial'> | null
  /** The requested URL. Only its path is used. */
  url: URL
  /** `PUBLIC_ORIGIN`, without a trailing slash. */
  origin: string
}

type Memorial = PublicMemorialView['memorial']
type Head = {
  /** Null: only the name of the service. */
  title: string | null
  description: string
  /** The page's canonical URL; null for a page that has none. */
  canonical: string | null
  isListed: boolean
  type: 'profile' | 'website'
  image: string
  imageAlt: string
  data?: unknown
}

/**
 * Renders the `<head>` metadata of a page: title, description, robots, canonical, Open Graph (https://ogp.me), Twitter
 * card, and JSON-LD of a memorial. Without a view, all pages except the service's get the same bytes, with no personal
 * data.
 */
export function pageHead(page: PageInfo): string {
  return toHtml(headOf(page))
}

function headOf({ view, url, origin }: PageInfo): Head {
  if (view) return memorialHead(view.memorial, origin)
  const isService = isAboutTheService(url.pathname)
  const path = isService ? (url.pathname as keyof typeof SERVICE_TITLES) : null
  return {
    title: path && SERVICE_TITLES[path],
    description: path ? SERVICE_DESCRIPTIONS[path] : SITE_DESCRIPTION,
    canonical: path && `${origin}${path}`,
    isListed: isService,
    type: 'website',
    image: `${origin}${NEUTRAL_CARD_PATH}`,
    imageAlt: `${SITE_NAME}. Online memorials for the family.`,
  }
}

function memorialHead(memorial: Memorial, origin: string): Head {
  const canonical = `${origin}/m/${memorial.slug}`
  const image = `${origin}${cardPath(memorial)}`
  const description = memorialDescription(memorial)
  return {
    title: memorialTitle(memorial),
    description,
    canonical,
    isListed: memorial.allowSearchEngines,
    type: 'profile',
    image,
    imageAlt: imageAlt(memorial),
    data: {
      '@context': 'https://schema.org',
      '@type': 'ProfilePage',
      url: canonical,
      name: memorialTitle(memorial),
      inLanguage: 'en',
      mainEntity: {
        '@type': 'Person',
        name: memorial.honoureeFullName,
        ...(memorial.title && { description: memorial.title }),
        ...(memorial.dateOfBirth && { birthDate: memorial.dateOfBirth }),
        ...(memorial.dateOfDeath && { deathDate: memorial.dateOfDeath }),
        image,
        url: canonical,
      },
    },
  }
}

/** Uses the family's one sentence; the life story is shown only on the page itself. */
function memorialDescription({ title, honoureeFullName }: Memorial): string {
  const summary = 'Their story, photos and the words of those who knew them.'
  return title ? `${title} · ${summary}` : `The memorial of ${honoureeFullName}. ${summary}`
}

function imageAlt(memorial: Memorial): string {
  const years = lifeYears(memorial.dateOfBirth, memorial.dateOfDeath)
  const portrait = memorial.profileMediaId ?? memorial.coverMediaId
  const parts = [memorial.honoureeFullName, years, portrait && 'with a portrait']
  return parts.filter((part) => part !== null).join(', ')
}

function toHtml({ title, description, canonical, isListed, type, image, imageAlt: alt, data }: Head): string {
  const shortTitle = title ?? SITE_NAME
  const named = (name: string, content: string) => `<meta name="${name}" content="${escapeHtml(content)}">`
  const graph = (property: string, content: string) =>
    `<meta property="${property}" content="${escapeHtml(content)}">`
  return [
    `<title>${escapeHtml(documentTitle(title))}</title>`,
    named('description', description),
    ...(isListed ? [] : [named('robots', 'noindex')]),
    ...(canonical
      ? [`<link rel="canonical" href="${escapeHtml(canonical)}">`, graph('og:url', canonical)]
      : []),
    graph('og:site_name', SITE_NAME),
    graph('og:locale', 'en_GB'),
    graph('og:type', type),
    graph('og:title', shortTitle),
    graph('og:description', description),
    graph('og:image', image),
    graph('og:image:type', 'image/jpeg'),
    graph('og:image:width', String(LINK_CARD.width)),
    graph('og:image:height', String(LINK_CARD.height)),
    graph('og:image:alt', alt),
    named('twitter:card', 'summary_large_image'),
    named('twitter:title', shortTitle),
    named('twitter:description', description),
    named('twitter:image', image),
    named('twitter:image:alt', alt),
    ...(data === undefined ? [] : [`<script type="application/ld+json">${escapeJson(data)}</script>`]),
  ].join('\n')
}
