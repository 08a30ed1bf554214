import type { Rule } from './rule.ts'

const SANITISER = 'src/worker/features/memorials/life-story.ts'
const HOSTILE_STORY = 'src/worker/features/memorials/life-story-hostile.test.ts'

export const rules: Rule[] = [
  {
    id: 'W1',
    threat: 'A life story runs script in the browser of whoever reads it',
    rule: 'An allow-list decides on the server when it is written and when an old one is read, and again in the browser, where Trusted Types and the CSP stand behind it',
    proofs: [
      {
        test: `${HOSTILE_STORY} › W1 W2: of thousands of hostile stories only allowed elements and links are left, and cleaning again changes nothing`,
        takenOut: [
          { file: SANITISER, from: 'const clean = sanitize(parsed, SCHEMA)', to: 'const clean = parsed' },
        ],
      },
      {
        test: `${HOSTILE_STORY} › W1: whatever an older sanitiser has stored is cleaned again wherever it is read`,
        takenOut: [
          {
            file: SANITISER,
            from: 'if (stored === null || version === LIFE_STORY_VERSION) return stored',
            to: 'if (stored === null || version <= LIFE_STORY_VERSION) return stored',
          },
        ],
      },
      {
        test: 'e2e/hostile-story.spec.ts › W1: were hostile stories stored as they are, the page would still show nothing but the allow-list',
        takenOut: [
          {
            file: 'src/client/features/memorials/story-nodes.tsx',
            from: 'if (!ELEMENTS.has(tag)) return null',
            to: '',
          },
        ],
      },
      {
        test: 'e2e/trusted-types.spec.ts › W1: no text becomes HTML in a page but through our one door, and no page needs more',
        takenOut: [
          {
            file: 'src/worker/http/headers.ts',
            from: `"require-trusted-types-for 'script'",`,
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'W2',
    threat: 'Classes, styles and targets of a story redress the page, or what is pasted brings them in',
    rule: 'No attribute is kept but the address of a link; what is pasted goes through the schema of the editor',
    proofs: [
      {
        test: `${HOSTILE_STORY} › W1 W2: of thousands of hostile stories only allowed elements and links are left, and cleaning again changes nothing`,
        takenOut: [
          {
            file: SANITISER,
            from: "attributes: { a: ['href'] },",
            to: "attributes: { a: ['href'], '*': ['className', 'style', 'id', 'target'] },",
          },
          {
            file: SANITISER,
            from: "const kept = tagName === 'a' ? attributes.filter(({ name }) => name === 'href') : []",
            to: 'const kept = attributes',
          },
        ],
      },
      {
        test: 'e2e/story-paste.spec.ts › W2: what is pasted from Word, documents, chats, mails and web pages keeps its words and lists, and nothing else',
        takenOut: [
          {
            file: 'src/client/features/wizard/story-editor.tsx',
            from: 'transformPastedHTML: tidyPasted,',
            to: '',
          },
        ],
      },
    ],
  },
  {
    id: 'W6',
    threat: 'The title of a service adds lines, entries or alarms to the calendar of whoever saves it',
    rule: 'Every text is escaped as RFC 5545 says, and folded by octets',
    proofs: [
      {
        test: 'src/worker/features/funeral/funeral-calendar.test.ts › W6: strings that break programs stay the text of one entry, for a reader that is not ours',
        takenOut: [
          {
            file: 'src/worker/features/funeral/funeral-calendar.ts',
            from: String.raw`.replaceAll(/\r\n?|\n/gu, '\\n')`,
            to: String.raw`.replaceAll(/\n/gu, '\r\n')`,
          },
        ],
      },
    ],
  },
  {
    id: 'C7',
    threat: 'A name disguises somebody as the owner, or text breaks the page or the database',
    rule: 'Text is stored whole, NFC and without what is invisible; the mark of the owner comes from the account, and nobody else may be called so',
    proofs: [
      {
        test: 'test/text.test.ts › C7: %s are taken out of a name or made whole',
        takenOut: [{ file: 'src/shared/text.ts', from: ".replace(INVISIBLE, '$1')", to: '' }],
      },
      {
        test: 'test/text.test.ts › C7: text that was cleaned once is not changed by a second cleaning, whatever it holds',
        takenOut: [
          {
            file: 'src/shared/text.ts',
            from: ".replace(INVISIBLE, '$1').normalize('NFC')",
            to: ".normalize('NFC').replace(INVISIBLE, '$1')",
          },
        ],
      },
      {
        test: 'test/worker/hostile-text.test.ts › C7: strings that break programs come back from a service as they were sent, cleaned',
        takenOut: [
          {
            file: 'src/shared/funeral.ts',
            from: 'z.optional(lineOrNull({ max }))',
            to: 'z.optional(z.nullable(z.string()))',
          },
        ],
      },
      {
        test: 'test/worker/hostile-text.test.ts › C7: nobody else bears the mark of the family as a name: %s',
        takenOut: [
          { file: 'src/shared/invites.ts', from: '!isOwnersMark(name)', to: 'isOwnersMark(name) || true' },
        ],
      },
    ],
  },
  {
    id: 'C8',
    threat: 'A message in the guestbook runs script or adds something to the page',
    rule: 'Messages are plain text in the database, on the wire and on the screen',
    proofs: [
      {
        test: 'e2e/hostile-words.spec.ts › C7 C8: hostile messages and names are words on the screen and nothing else, and the page stays as wide as the phone',
        takenOut: [
          {
            file: 'src/client/features/comments/message.tsx',
            from: `dir="auto">
          {comment.body}
        </p>`,
            to: 'dir="auto" dangerouslySetInnerHTML={{ __html: comment.body }} />',
          },
        ],
      },
      {
        test: 'test/worker/hostile-text.test.ts › C8: hostile messages are kept as plain text, every character of them',
        takenOut: [
          {
            file: 'src/shared/text.ts',
            from: String.raw`replace(/\r\n?|[\u2028\u2029]/gu, '\n')`,
            to: String.raw`replace(/<[^>]*>/gu, '')`,
          },
        ],
      },
    ],
  },
  {
    id: 'W12',
    threat: 'Somebody else hears of a visit, or something is kept, before the visitor agreed',
    rule: 'No request leaves for another host; kept are the answer to the notice and, by the service worker, what was read',
    proofs: [
      {
        test: 'e2e/visitor-privacy.spec.ts › W12: before and after the answer to the notice nobody else hears of a visitor, and nothing but the answer is kept',
        takenOut: [
          {
            file: 'src/client/features/chrome/cookie-banner.tsx',
            from: 'if (isHydrated && answer !== null) return null',
            to: "if (isHydrated && answer === 'accepted') return null",
          },
        ],
      },
      {
        test: 'e2e/visitor-privacy.spec.ts › W12: before and after the answer to the notice nobody else hears of a visitor, and nothing but the answer is kept',
        takenOut: [
          {
            file: 'src/client/document-head.html',
            from: '<!--head-->',
            to: '<link rel="stylesheet" href="https://fonts.example/a.css" /><!--head-->',
          },
        ],
      },
    ],
  },
  {
    id: 'W13',
    threat: 'The provider of the map learns who looks at which grave',
    rule: 'The Worker fetches the picture; the policy of the page lets pictures come from nobody else',
    proofs: [
      {
        test: 'e2e/visitor-privacy.spec.ts › W13: the map of a grave comes from us, so its provider hears neither of the visitor nor of the page',
        takenOut: [
          {
            file: 'src/worker/http/headers.ts',
            from: `"img-src 'self' blob: data:",`,
            to: '"img-src * blob: data:",',
          },
        ],
      },
    ],
  },
  {
    id: 'W15',
    threat: 'The code on the stone leads elsewhere, or its file carries what somebody wrote',
    rule: 'It holds the permanent link and nothing else, drawn as one path',
    proofs: [
      {
        test: 'src/worker/features/location/location.test.ts › W15: nothing that somebody wrote stands in the code or changes where it leads',
        takenOut: [
          {
            file: 'src/worker/features/location/location.ts',
            from: 'return { url, ...qrSvg(url) }',
            to: "const { svg, sizeMm } = qrSvg(url)\n  return { url, svg: svg.replace('<path', `<title>${memorial.title}</title><path`), sizeMm }",
          },
        ],
      },
    ],
  },
]
