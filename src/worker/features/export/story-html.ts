import { STORY_ELEMENTS, type StoryNode } from '#shared/story.ts'
import { escapeLines } from '#worker/platform/escape.ts'

/** A second check, so that nothing else reaches the page whatever is stored. */
const ELEMENTS: ReadonlySet<string> = new Set(STORY_ELEMENTS)
const LINK_ADDRESS = /^(?:https?:\/\/|mailto:)/iu
/** Elements that start a new line in plain text. */
const BLOCKS: ReadonlySet<string> = new Set(['p', 'h2', 'h3', 'blockquote', 'ul', 'ol', 'li'])

/** Renders a story as HTML: text, and elements of the allow-list with only a link's `href`, as on the memorial page. */
export function storyHtml(nodes: readonly StoryNode[]): string {
  return nodes.map(nodeHtml).join('')
}

function nodeHtml(node: StoryNode): string {
  if (typeof node === 'string') return escapeLines(node)
  const { tag, href, children } = node
  if (!ELEMENTS.has(tag)) return ''
  if (tag === 'br') return '<br>'
  const isLink = tag === 'a' && href !== null && LINK_ADDRESS.test(href)
  const attributes = isLink ? ` href="${escapeLines(href)}" rel="noopener nofollow ugc"` : ''
  return `<${tag}${attributes}>${storyHtml(children)}</${tag}>`
}

/** Renders a story as plain text, one line per block. */
export function storyText(nodes: readonly StoryNode[]): string {
  return nodes
    .map(nodeText)
    .join('')
    .replaceAll(/[^\S\n]+\n/gu, '\n')
    .replaceAll(/\n{3,}/gu, '\n\n')
    .trim()
}

function nodeText(node: StoryNode): string {
  if (typeof node === 'string') return node
  if (node.tag === 'br') return '\n'
  const inner = node.children.map(nodeText).join('')
  if (!BLOCKS.has(node.tag)) return inner
  return node.tag === 'li' ? `- ${inner.trim()}\n` : `${inner.trim()}\n\n`
}
