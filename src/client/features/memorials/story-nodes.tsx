import { createElement, type ReactNode } from 'react'

/** The allow-list of a life story (server rules 4), once more: whatever is stored, nothing else reaches the page. */
const ELEMENTS = new Set('p br h2 h3 strong em u s blockquote ul ol li a'.split(' '))
const LINK_ADDRESS = /^(?:https?:\/\/|mailto:)/iu
/** The server refuses deeper stories. */
const LEVELS_MAX = 32

/** Parsed nodes of a story as React nodes: text, and elements of the allow-list with no attribute but a link's address. */
export function storyNodes(nodes: readonly Node[], level = 1): ReactNode[] {
  return level > LEVELS_MAX ? [] : nodes.map((node, index) => storyNode(node, index, level))
}

function storyNode(node: Node, key: number, level: number): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return node.textContent
  const tag = node.nodeName.toLowerCase()
  if (!(node instanceof HTMLElement) || !ELEMENTS.has(tag)) return null
  if (tag === 'br') return <br key={key} />
  const children = storyNodes([...node.childNodes], level + 1)
  return createElement(tag, { key, ...(tag === 'a' ? linkOf(node) : {}) }, ...children)
}

function linkOf(link: HTMLElement): { href?: string; rel?: string } {
  const href = link.getAttribute('href') ?? ''
  return LINK_ADDRESS.test(href) ? { href, rel: 'noopener nofollow ugc' } : {}
}
