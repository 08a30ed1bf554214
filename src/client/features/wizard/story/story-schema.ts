import {
  Schema,
  DOMParser as StoryParser,
  DOMSerializer,
  type MarkSpec,
  type NodeSpec,
  type Node,
  type DOMOutputSpec,
} from 'prosemirror-model'
import { parseInert } from '#client/lib/browser/inert-html.ts'

const LINK = /^(?:https?:\/\/|mailto:)/iu

/** Whether a life story may link to this address; the server has the same rule. */
export function isLinkAddress(address: string): boolean {
  return LINK.test(address.trim())
}

/** The HTML element of a node or mark; `others` are read as the same. */
function element(tag: string, ...others: string[]) {
  return { parseDOM: [tag, ...others].map((name) => ({ tag: name })), toDOM: (): DOMOutputSpec => [tag, 0] }
}

const nodes = {
  doc: { content: 'block+' },
  paragraph: { content: 'inline*', group: 'block', ...element('p') },
  heading: {
    attrs: { level: { default: 2 } },
    content: 'inline*',
    group: 'block',
    defining: true,
    parseDOM: [
      { tag: 'h1', attrs: { level: 2 } },
      { tag: 'h2', attrs: { level: 2 } },
      { tag: 'h3', attrs: { level: 3 } },
      { tag: 'h4', attrs: { level: 3 } },
      { tag: 'h5', attrs: { level: 3 } },
      { tag: 'h6', attrs: { level: 3 } },
    ],
    toDOM: (node) => [`h${node.attrs['level']}`, 0],
  },
  blockquote: { content: 'block+', group: 'block', defining: true, ...element('blockquote') },
  bullet_list: { content: 'list_item+', group: 'block', ...element('ul') },
  ordered_list: { content: 'list_item+', group: 'block', ...element('ol') },
  list_item: { content: 'paragraph block*', defining: true, ...element('li') },
  text: { group: 'inline' },
  hard_break: {
    inline: true,
    group: 'inline',
    selectable: false,
    parseDOM: [{ tag: 'br' }],
    toDOM: () => ['br'],
  },
} satisfies Record<string, NodeSpec>

const marks = {
  strong: element('strong', 'b'),
  em: element('em', 'i'),
  underline: element('u'),
  strike: element('s', 'del'),
  link: {
    attrs: { href: {} },
    inclusive: false,
    parseDOM: [
      {
        tag: 'a[href]',
        getAttrs: (node) => {
          const href = node.getAttribute('href') ?? ''
          return isLinkAddress(href) ? { href } : false
        },
      },
    ],
    toDOM: (mark) => ['a', { href: String(mark.attrs['href']) }, 0],
  },
} satisfies Record<string, MarkSpec>

/** What a life story may contain: exactly the server's allow-list, so that it also cleans pasted content. */
export const storySchema = new Schema({ nodes, marks })

/** Parses saved HTML into a story document. */
export function storyOf(html: string): Node {
  return StoryParser.fromSchema(storySchema).parse(parseInert(html))
}

/** Serialises the story to HTML; an empty string if it has no text. */
export function htmlOf(story: Node): string {
  if (story.textContent.trim() === '') return ''
  const container = document.createElement('div')
  container.append(DOMSerializer.fromSchema(storySchema).serializeFragment(story.content))
  return container.innerHTML
}
