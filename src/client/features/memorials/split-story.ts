/** Characters of a life story that are shown before "Read the whole story". */
const SHOWN = 1200
/** A rest shorter than this is not worth a button. */
const SMALL_REST = 300

/**
 * A sanitised life story as what is shown at once and what opens on demand, cut between blocks (paragraphs, headings,
 * lists) so that both halves are whole. The second half is empty where the story is short.
 */
export function splitStory(html: string): [head: string, rest: string] {
  const blocks = [...new DOMParser().parseFromString(html, 'text/html').body.childNodes]
  const lengths = blocks.map((block) => block.textContent?.length ?? 0)
  const total = lengths.reduce((sum, length) => sum + length, 0)
  if (total <= SHOWN + SMALL_REST) return [html, '']
  let shown = 0
  let count = 0
  while (count < blocks.length && (count === 0 || shown + (lengths[count] ?? 0) <= SHOWN)) {
    shown += lengths[count] ?? 0
    count++
  }
  // A heading belongs to what follows it.
  while (count > 1 && /^H\d$/u.test(blocks[count - 1]?.nodeName ?? '')) count--
  if (count >= blocks.length) return [html, '']
  return [htmlOf(blocks.slice(0, count)), htmlOf(blocks.slice(count))]
}

function htmlOf(blocks: ChildNode[]): string {
  const holder = document.createElement('div')
  holder.append(...blocks.map((block) => block.cloneNode(true)))
  return holder.innerHTML
}
