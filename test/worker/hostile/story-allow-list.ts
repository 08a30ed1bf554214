import type { Element, Root } from 'hast'
import { fromHtml } from 'hast-util-from-html'

const TAGS = new Set('p br h2 h3 strong em u s blockquote ul ol li a'.split(' '))
const REL = 'noopener nofollow ugc'

function elementsOf(parent: Root | Element): Element[] {
  return parent.children.flatMap((node) => (node.type === 'element' ? [node, ...elementsOf(node)] : []))
}

/** Nodes that are neither element nor text. */
function strangeIn(parent: Root | Element): string[] {
  return parent.children.flatMap(({ type }) => (type === 'element' || type === 'text' ? [] : [type]))
}

/** Elements and attributes in a story's HTML, parsed as browsers do, that are not on the allow list; empty when all is well. */
export function disallowedNodes(html: string): string[] {
  const tree = fromHtml(html, { fragment: true })
  return strangeIn(tree).concat(elementsOf(tree).flatMap(strangeAt))
}

function strangeAt(element: Element): string[] {
  const { tagName, properties } = element
  if (!TAGS.has(tagName)) return [tagName]
  const { href, rel, ...more } = properties
  return strangeIn(element).concat(
    Object.keys(more).map((name) => `${tagName} ${name}`),
    isAllowedLink(element) ? [] : [`href=${String(href)} rel=${String(rel)}`],
  )
}

/** True if it is no link at all. An address that leads nowhere is harmless. */
function isAllowedLink({ tagName, properties: { href, rel } }: Element): boolean {
  if (href === undefined && rel === undefined) return true
  const protocol = URL.parse(String(href))?.protocol ?? 'https:'
  return (
    tagName === 'a' && Array.isArray(rel) && rel.join(' ') === REL && /^(?:https?|mailto):$/u.test(protocol)
  )
}
