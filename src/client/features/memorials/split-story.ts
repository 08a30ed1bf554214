import type { StoryNode } from '#shared/story.ts'

/** Characters of a life story that show before "Read the whole story". */
const SHOWN = 1200
/** If fewer characters than this would be hidden, show them instead. */
const SMALL_REST = 300

/**
 * How many blocks (paragraphs, headings, lists) of a life story show before the user expands it; all blocks of a short
 * story.
 */
export function blocksShown(blocks: readonly StoryNode[]): number {
  const lengths = blocks.map((block) => textOf(block).length)
  const total = lengths.reduce((sum, length) => sum + length, 0)
  if (total <= SHOWN + SMALL_REST) return blocks.length
  let shown = 0
  let count = 0
  while (count < blocks.length && (count === 0 || shown + (lengths[count] ?? 0) <= SHOWN)) {
    shown += lengths[count] ?? 0
    count++
  }
  // Don't end with a heading: it belongs to the block after it.
  while (count > 1 && isHeading(blocks[count - 1])) count--
  return count
}

function textOf(node: StoryNode): string {
  return typeof node === 'string' ? node : node.children.map(textOf).join('')
}

function isHeading(node: StoryNode | undefined): boolean {
  return typeof node === 'object' && /^h\d$/u.test(node.tag)
}
