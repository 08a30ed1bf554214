import { useEffect, useMemo, useRef, useState, createElement, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { STORY_ELEMENTS, type StoryNode } from '#shared/memorials/story.ts'
import { useWithoutScript } from '#client/lib/server-rendering.ts'
import { useStoryReader } from '#client/lib/story-tree.ts'
import { Button } from '#client/ui/button.tsx'
import styles from './life-story.module.css'

/** The life story, rebuilt from the allow-list by which the server sanitised `html`. A long one expands in place. */
export function LifeStory({ html }: { html: string }) {
  const read = useStoryReader()
  const isWhole = useWithoutScript()
  const [head, rest] = useMemo(() => {
    const blocks = read(html)
    const shown = isWhole ? blocks.length : blocksShown(blocks)
    return [storyNodes(blocks.slice(0, shown)), storyNodes(blocks.slice(shown))]
  }, [html, read, isWhole])
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  // The user may have opened the story before hydration.
  useEffect(() => {
    if (button.current?.getAttribute('aria-expanded') === 'true') setOpen(true)
  }, [])
  function toggle() {
    flushSync(() => setOpen(!open))
    // Collapsing removes the text above the button and moves it off screen.
    if (open) button.current?.scrollIntoView({ block: 'center' })
  }
  return (
    <>
      <div className={styles.story}>{head}</div>
      {rest.length > 0 && (
        <>
          <div id="story-rest" className={`${styles.story} ${styles.rest}`} hidden={!open}>
            {rest}
          </div>
          <Button
            ref={button}
            className={styles.more}
            aria-expanded={open}
            aria-controls="story-rest"
            data-toggle
            onClick={toggle}
          >
            <span className={styles.closed}>Read the whole story</span>
            <span className={styles.opened}>Show less</span>
          </Button>
        </>
      )}
    </>
  )
}

/** Characters of a life story that show before "Read the whole story". */
const SHOWN = 1200
/** If fewer characters than this would be hidden, show them instead. */
const SMALL_REST = 300

/** How many blocks (paragraphs, headings, lists) show before the user expands the story; all of a short one. */
function blocksShown(blocks: readonly StoryNode[]): number {
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

/** Checked again when rendering: no other element reaches the page, whatever is stored. */
const ELEMENTS: ReadonlySet<string> = new Set(STORY_ELEMENTS)
const LINK_ADDRESS = /^(?:https?:\/\/|mailto:)/iu

/** The story as React nodes: text and allow-listed elements, with no attribute except a link's address. */
function storyNodes(nodes: readonly StoryNode[]): ReactNode[] {
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
