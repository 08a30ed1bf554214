import { createElement, type ReactNode } from 'react'
import { STORY_ELEMENTS, type StoryNode } from '#shared/story.ts'

/** Checked again when rendering: no other element reaches the page, whatever is stored. */
const ELEMENTS: ReadonlySet<string> = new Set(STORY_ELEMENTS)
const LINK_ADDRESS = /^(?:https?:\/\/|mailto:)/iu

/** The story as React nodes: text and allow-listed elements, with no attribute except a link's address. */
export function storyNodes(nodes: readonly StoryNode[]): ReactNode[] {
  return nodes.map(storyNode)
}

function storyNode(node: StoryNode, key: number): ReactNode {
  if (typeof node === 'string') return node
  const { tag, href } = node
  if (!ELEMENTS.has(tag)) return null
  if (tag === 'br') return <br key={key} />
  const link = tag === 'a' && href !== null && LINK_ADDRESS.test(href)
  const attributes = link ? { href, rel: 'noopener nofollow ugc' } : {}
  return createElement(tag, { key, ...attributes }, ...storyNodes(node.children))
}
