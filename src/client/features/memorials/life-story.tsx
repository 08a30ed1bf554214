import { useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '#client/ui/button.tsx'
import { splitStory } from './split-story.ts'
import styles from './life-story.module.css'

/** The biography. `html` is sanitised by the server when it is written; a long one opens in place. */
export function LifeStory({ html }: { html: string }) {
  const [head, rest] = useMemo(() => splitStory(html), [html])
  const [open, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  function toggle() {
    flushSync(() => setOpen(!open))
    // What was read has gone from above the button: it would be out of sight.
    if (open) button.current?.scrollIntoView({ block: 'center' })
  }
  return (
    <>
      <div className={styles['story']} dangerouslySetInnerHTML={{ __html: head }} />
      {rest !== '' && open && <div className={styles['story']} dangerouslySetInnerHTML={{ __html: rest }} />}
      {rest !== '' && (
        <Button ref={button} aria-expanded={open} onClick={toggle}>
          {open ? 'Show less' : 'Read the whole story'}
        </Button>
      )}
    </>
  )
}
