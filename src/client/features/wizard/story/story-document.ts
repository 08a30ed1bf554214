import { DOMParser as StoryParser, DOMSerializer, type Node } from 'prosemirror-model'
import { parseInert } from '#client/lib/inert-html.ts'
import { storySchema } from './story-schema.ts'

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
