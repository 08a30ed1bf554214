import { useEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useDataSaver } from '#client/lib/data-saver.ts'
import { useStoryReader } from '#client/lib/story-tree.ts'
import { Button } from '#client/ui/button.tsx'
import { blocksShown } from './split-story.ts'
import { storyNodes } from './story-nodes.tsx'
import styles from './life-story.module.css'

/**
 * The life story. The server sanitises `html` on write; it is rebuilt here from the same allow-list. A long story expands in
 * place.
 */
export function LifeStory({ html }: { html: string }) {
  const read = useStoryReader()
  const isWhole = useDataSaver()
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
