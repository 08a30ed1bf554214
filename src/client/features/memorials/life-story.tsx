import { useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { parseInert } from '#client/lib/inert-html.ts'
import { Button } from '#client/ui/button.tsx'
import { blocksShown } from './split-story.ts'
import { storyNodes } from './story-nodes.tsx'
import styles from './life-story.module.css'

/**
 * The biography. `html` is sanitised by the server when it is written, and rebuilt here from the allow-list; a long one opens
 * in place.
 */
export function LifeStory({ html }: { html: string }) {
  const [head, rest] = useMemo(() => {
    const blocks = [...parseInert(html).childNodes]
    const shown = blocksShown(blocks)
    return [storyNodes(blocks.slice(0, shown)), storyNodes(blocks.slice(shown))]
  }, [html])
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  function toggle() {
    flushSync(() => setOpen(!open))
    // What was read has gone from above the button: it would be out of sight.
    if (open) button.current?.scrollIntoView({ block: 'center' })
  }
  return (
    <>
      <div className={styles['story']}>{head}</div>
      {rest.length > 0 && open && <div className={styles['story']}>{rest}</div>}
      {rest.length > 0 && (
        <Button ref={button} aria-expanded={open} onClick={toggle}>
          {open ? 'Show less' : 'Read the whole story'}
        </Button>
      )}
    </>
  )
}
