import { createContext, useContext } from 'react'
import { STORY_LEVELS_MAX, type StoryNode } from '#shared/memorials/story.ts'
import { parseInert } from '#client/lib/browser/inert-html.ts'

/** Parses a story's HTML. Outside browsers, a provider must supply the parser. */
export const StoryReader = createContext<(html: string) => StoryNode[]>(readStory)

/** The parser that turns HTML into a story's tree. */
export function useStoryReader(): (html: string) => StoryNode[] {
  return useContext(StoryReader)
}

/** Parses a story in a document in which nothing loads or runs. */
function readStory(html: string): StoryNode[] {
  return toNodes(parseInert(html).childNodes, 1)
}

function toNodes(nodes: NodeListOf<ChildNode>, level: number): StoryNode[] {
  return level > STORY_LEVELS_MAX ? [] : [...nodes].flatMap((node) => toNode(node, level))
}

function toNode(node: ChildNode, level: number): StoryNode[] {
  if (node.nodeType === Node.TEXT_NODE) return [node.textContent ?? '']
  if (!(node instanceof HTMLElement)) return []
  const tag = node.nodeName.toLowerCase()
  return [{ tag, href: node.getAttribute('href'), children: toNodes(node.childNodes, level + 1) }]
}
