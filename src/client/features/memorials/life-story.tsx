import { useMemo, useState } from 'react'
import { Button } from '#client/ui/button.tsx'
import { splitStory } from './split-story.ts'
import styles from './life-story.module.css'

/** The biography. `html` is sanitised by the server when it is written; a long one opens in place. */
export function LifeStory({ html }: { html: string }) {
  const [head, rest] = useMemo(() => splitStory(html), [html])
  const [open, setOpen] = useState(false)
  return (
    <>
      <div className={styles['story']} dangerouslySetInnerHTML={{ __html: head }} />
      {rest !== '' && open && <div className={styles['story']} dangerouslySetInnerHTML={{ __html: rest }} />}
      {rest !== '' && (
        <Button aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : 'Read the whole story'}
        </Button>
      )}
    </>
  )
}
