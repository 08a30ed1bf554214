import type { Rule } from './rule.ts'

const PREVIEWS = 'src/worker/features/previews'
const HEAD = `${PREVIEWS}/page-head.test.ts`

/** What chats and search engines are told of our pages. */
export const rules: Rule[] = [
  {
    id: 'W19',
    threat:
      'A name or a sentence that somebody wrote becomes an element or script in the head of a page, or draws something else on its card',
    rule: 'One function escapes every value of head and card; JSON in a script element holds nothing that could end it',
    proofs: [
      {
        test: `${HEAD} › W19: a name of %j stands in the head as it was written, and as nothing else`,
        takenOut: [{ file: `${PREVIEWS}/escape.ts`, from: '[<>&\\u2028\\u2029]', to: '[>&\\u2028\\u2029]' }],
      },
      {
        test: `${HEAD} › W19: a name of %j stands in the head as it was written, and as nothing else`,
        takenOut: [{ file: `${PREVIEWS}/escape.ts`, from: `/[&<>"']/gu`, to: `/[&<>']/gu` }],
      },
      {
        test: `${PREVIEWS}/card-svg.test.ts › W19: a hostile name is letters on a card and nothing else`,
        takenOut: [
          {
            file: `${PREVIEWS}/card-svg.ts`,
            from: '>${escapeHtml(content)}</text>',
            to: '>${content}</text>',
          },
        ],
      },
    ],
  },
  {
    id: 'W20',
    threat:
      'A preview in a chat, or the sitemap, tells who has a memorial that is not public, or shows their portrait',
    rule: 'Head and card of everything that is not public are those of the service, the same bytes for unknown and hidden; the sitemap holds what is public and may be listed',
    proofs: [
      {
        test: `${HEAD} › W20: where no public memorial is shown the head is the same bytes everywhere, with the name of the service alone`,
        takenOut: [
          {
            file: `${PREVIEWS}/page-head.ts`,
            from: 'canonical: path && `${origin}${path}`',
            to: 'canonical: `${origin}${url.pathname}`',
          },
        ],
      },
      {
        test: `${PREVIEWS}/cards.test.ts › W20: wherever no public memorial is shown, the card is the same bytes and headers, and those of the service`,
        takenOut: [
          {
            file: `${PREVIEWS}/cards.ts`,
            from: "eq(memorials.status, 'ACTIVE'), eq(memorials.privacy, 'LOCKED')",
            to: "eq(memorials.status, 'ACTIVE')",
          },
        ],
      },
      {
        test: `${PREVIEWS}/sitemap.test.ts › W20: the sitemap leads to a memorial while it is public and its owner lets search engines in, and to no other`,
        takenOut: [
          {
            file: `${PREVIEWS}/sitemap.ts`,
            from: "indexed by memorials_listed\n    where ${memorials.privacy} = 'LOCKED' and ${memorials.status} = 'ACTIVE' and ",
            to: 'where ',
          },
        ],
      },
    ],
  },
]
