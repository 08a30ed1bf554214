import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { LINK_CARD } from '#shared/limits.ts'
import { knownPart, lifeYears, type LifeDates } from '#shared/memorials/life-dates.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { documentTitle, isAboutTheService, memorialTitle, SERVICE_TITLES } from '#shared/pages/page-titles.ts'
import { SITE_NAME } from '#shared/site-name.ts'
import { paths } from '#shared/pages/pages.ts'
import { previewGathering } from '#worker/features/previews/card-gatherings.ts'
import type { PreviewGathering } from '#worker/features/previews/card-svg.ts'
import { escapeHtml, escapeJson } from '#worker/platform/escape.ts'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { utf8 } from '#worker/platform/bytes.ts'

/** Increase it when the design of the cards changes, so that all of them are rendered again. */
const DESIGN = 1
/** Long enough that two states of one memorial don't collide. */
const HASH_LENGTH = 16

/** The service's own card, shown where there is no public memorial. */
export const NEUTRAL_CARD_PATH = '/card.jpg'

/** What a card shows of a memorial. */
export type CardSubject = LifeDates &
  Pick<Memorial, 'honoureeFullName' | 'profileMediaId' | 'coverMediaId'> & {
    /** The next gathering, if the memorial is public; null if none is ahead. */
    gathering: PreviewGathering | null
  }

/** A hexadecimal hash of what the card shows: it changes with the name, years, portrait or gathering. */
export function cardHash(memorial: CardSubject): string {
  const { honoureeFullName, profileMediaId, coverMediaId, gathering } = memorial
  const person = [DESIGN, honoureeFullName, lifeYears(memorial), coverMediaId ?? profileMediaId]
  const { title, when, where } = gathering ?? {}
  return hashOfShown(gathering === null ? person : [...person, title, when, where])
}

/** A hexadecimal hash of what a picture shows. */
export function hashOfShown(shown: readonly unknown[]): string {
  return bytesToHex(sha256(utf8(JSON.stringify(shown)))).slice(0, HASH_LENGTH)
}

/** Path of a public memorial's card. It includes the hash, because chats cache a preview image by its URL. */
export function cardPath(memorial: CardSubject & Pick<Memorial, 'slug'>): string {
  return `/m/${memorial.slug}/card.jpg?v=${cardHash(memorial)}`
}

/** Describes the service on pages without their own description. */
export const SITE_DESCRIPTION =
  'One lasting page for the person who died: their story, photos, voices and the words of everyone who knew them.'

/** Descriptions of the service's pages for search engines and chats. */
export const SERVICE_DESCRIPTIONS = {
  [paths.home]: SITE_DESCRIPTION,
  [paths.about]:
    'Built with love in Zimbabwe: one page for one person, with who they were, where they rest and what they meant to the people who knew them.',
  [paths.faq]: 'What a memorial costs, who can see it, how the plaque works, and how the family adds to it.',
  [paths.contact]:
    'Write to us about anything: a memorial, a payment, a plaque, or something that does not work.',
  [paths.terms]:
    'You pay once for each memorial. What you add stays yours, and you decide who sees it. Here are the full terms.',
  [paths.privacy]:
    'A memorial is seen only by the people its owner has chosen. There is no tracking and no advertising.',
} as const satisfies Record<keyof typeof SERVICE_TITLES, string>

export type PageInfo = {
  /** The memorial to show and its gatherings, at this moment. Callers pass null unless it is public. */
  view: { memorial: Memorial; funeralEvents: readonly FuneralEvent[]; now: number } | null
  /** The requested URL. Only its path is used. */
  url: URL
  /** `PUBLIC_ORIGIN`, without a trailing slash. */
  origin: string
  /** The title of the document, if previews don't show it. */
  title?: string | null
}

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
 * Without a view, every page gets the same bytes, with no personal data, except for the service's pages and invitations. See
 * https://ogp.me.
 */
export function pageHead(page: PageInfo): string {
  return toHtml(headOf(page), page.title)
}

/** The head of an invitation's page whose owner shows the name and face. */
export function invitationHead(token: string, memorial: CardSubject, origin: string): string {
  return toHtml({
    ...neutralHead(origin),
    title: memorialTitle(memorial),
    description: `${messages.invite.previewTitle}. ${messages.invite.previewText}`,
    // Whoever knows this address has the invitation already.
    image: `${origin}/invite/${token}/card.jpg?v=${cardHash(memorial)}`,
    imageAlt: imageAlt(memorial),
  })
}

/** For pages that may tell nothing, an invitation's among them. */
function neutralHead(origin: string): Head {
  return {
    title: null,
    description: SITE_DESCRIPTION,
    canonical: null,
    isListed: false,
    type: 'website',
    image: `${origin}${NEUTRAL_CARD_PATH}`,
    imageAlt: `${SITE_NAME}. Online memorials for the family.`,
  }
}

function headOf({ view, url, origin }: PageInfo): Head {
  if (view) return memorialHead(view, origin)
  if (url.pathname === paths.invite) {
    const { previewTitle: title, previewText: description } = messages.invite
    return { ...neutralHead(origin), title, description }
  }
  if (!isAboutTheService(url.pathname)) return neutralHead(origin)
  const path = url.pathname as keyof typeof SERVICE_TITLES
  return {
    ...neutralHead(origin),
    title: SERVICE_TITLES[path],
    description: SERVICE_DESCRIPTIONS[path],
    canonical: `${origin}${path}`,
    isListed: true,
  }
}

function memorialHead({ memorial, funeralEvents, now }: NonNullable<PageInfo['view']>, origin: string): Head {
  const gathering = previewGathering(funeralEvents, now)
  const subject = { ...memorial, gathering }
  const canonical = `${origin}/m/${memorial.slug}`
  const image = `${origin}${cardPath(subject)}`
  const description = [lineOf(gathering), memorialDescription(memorial)].filter(Boolean).join('. ')
  return {
    title: memorialTitle(memorial),
    description,
    canonical,
    isListed: memorial.allowSearchEngines,
    type: 'profile',
    image,
    imageAlt: imageAlt(subject),
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
        // schema.org's dates are ISO 8601, which may be only a year. It has no mark for an approximate one.
        ...(memorial.dateOfBirth && {
          birthDate: knownPart(memorial.dateOfBirth, memorial.dateOfBirthPrecision),
        }),
        ...(memorial.dateOfDeath && {
          deathDate: knownPart(memorial.dateOfDeath, memorial.dateOfDeathPrecision),
        }),
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

function imageAlt(memorial: CardSubject): string {
  const years = lifeYears(memorial)
  const portrait = memorial.profileMediaId ?? memorial.coverMediaId
  const parts = [memorial.honoureeFullName, years, portrait && 'with a portrait']
  const person = parts.filter((part) => part !== null).join(', ')
  return [person, lineOf(memorial.gathering)].filter(Boolean).join('. ')
}

/** `Burial · Saturday 6 June 2026, 10:00, Harare time · Mutare`; null without a gathering. */
function lineOf(gathering: PreviewGathering | null): string | null {
  return gathering && [gathering.title, gathering.when, gathering.where].filter(Boolean).join(' · ')
}

function toHtml(
  { title, description, canonical, isListed, type, image, imageAlt: alt, data }: Head,
  ownTitle?: string | null,
): string {
  const shortTitle = title ?? SITE_NAME
  const named = (name: string, content: string) => `<meta name="${name}" content="${escapeHtml(content)}">`
  const graph = (property: string, content: string) =>
    `<meta property="${property}" content="${escapeHtml(content)}">`
  return [
    `<title>${escapeHtml(documentTitle(ownTitle ?? title))}</title>`,
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
