import { useEffect, useRef, useState } from 'react'
import { watchSections } from '#client/lib/browser/watch-sections.ts'
import styles from './jump-bar.module.css'

export type JumpTarget = { id: string; label: string }

/** Links to the sections of the page, with the current one marked. Renders nothing for fewer than three. */
export function JumpBar({ targets }: { targets: JumpTarget[] }) {
  const current = useSectionInView(targets)
  const list = useRef<HTMLUListElement>(null)
  // Where the bar is wider than the screen, it follows.
  useEffect(() => {
    const link = list.current?.querySelector<HTMLElement>(`[href='#${current}']`)
    if (link && list.current)
      list.current.scrollLeft = link.offsetLeft + link.offsetWidth - list.current.clientWidth
  }, [current])
  if (targets.length < 3) return null
  return (
    <nav className={styles.bar} aria-label="On this page">
      <ul ref={list} className={styles.list}>
        {targets.map(({ id, label }) => (
          <li key={id}>
            <a
              className={styles.link}
              data-jump
              href={`#${id}`}
              aria-current={id === current ? 'true' : undefined}
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function useSectionInView(targets: JumpTarget[]): string | undefined {
  const ids = targets.map(({ id }) => id).join(' ')
  const [first, setFirst] = useState<string>()
  useEffect(() => watchSections(ids.split(' '), setFirst), [ids])
  return targets.some(({ id }) => id === first) ? first : targets[0]?.id
}
