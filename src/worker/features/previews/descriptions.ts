import { paths } from '#shared/pages.ts'
import type { SERVICE_TITLES } from '#shared/page-titles.ts'

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
    'A memorial is seen only by the people its owner has chosen. One cookie keeps you signed in. There is no tracking and no advertising.',
} as const satisfies Record<keyof typeof SERVICE_TITLES, string>
