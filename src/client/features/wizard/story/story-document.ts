import { DOMParser as StoryParser, DOMSerializer, type Node } from 'prosemirror-model'
import { parseInert } from '#client/lib/inert-html.ts'
import { storySchema } from './story-schema.ts'

/** The story of saved HTML. */
export function storyOf(html: string): Node {
  return StoryParser.fromSchema(storySchema).parse(parseInert(html))
}

/** The HTML that is saved; empty for a story without words. */
export function htmlOf(story: Node): string {
  if (story.textContent.trim() === '') return ''
  const holder = document.createElement('div')
  holder.append(DOMSerializer.fromSchema(storySchema).serializeFragment(story.content))
  return holder.innerHTML
}
