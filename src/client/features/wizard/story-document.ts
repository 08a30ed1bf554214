import { DOMParser as StoryParser, DOMSerializer, type Node } from 'prosemirror-model'
import { storySchema } from './story-schema.ts'

/** The story of saved HTML. Parsed in an inert document: nothing in it loads or runs. */
export function storyOf(html: string): Node {
  const inert = new DOMParser().parseFromString(html, 'text/html')
  return StoryParser.fromSchema(storySchema).parse(inert.body)
}

/** The HTML that is saved; empty for a story without words. */
export function htmlOf(story: Node): string {
  if (story.textContent.trim() === '') return ''
  const holder = document.createElement('div')
  holder.append(DOMSerializer.fromSchema(storySchema).serializeFragment(story.content))
  return holder.innerHTML
}
