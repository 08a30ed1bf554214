import { useEffect, useState } from 'react'
import styles from './jump-bar.module.css'

export type JumpTarget = { id: string; label: string }

/** Links to the parts of the page, the one in view marked. Not there at all when there are fewer than three. */
export function JumpBar({ targets }: { targets: JumpTarget[] }) {
  const current = useSectionInView(targets)
  if (targets.length < 3) return null
  return (
    <nav className={styles['bar']} aria-label="On this page">
      <ul className={styles['list']}>
        {targets.map(({ id, label }) => (
          <li key={id}>
            <a
              className={styles['link']}
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

/** The first section that stands in the upper part of the window; before any does, the first of all. */
function useSectionInView(targets: JumpTarget[]): string | undefined {
  const ids = targets.map(({ id }) => id).join(' ')
  const [inView, setInView] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) =>
        setInView((before) => {
          const after = new Set(before)
          for (const { target, isIntersecting } of entries) {
            if (isIntersecting) after.add(target.id)
            else after.delete(target.id)
          }
          return after
        }),
      { rootMargin: '-64px 0px -55% 0px' },
    )
    for (const id of ids.split(' ')) {
      const section = document.getElementById(id)
      if (section) observer.observe(section)
    }
    return () => observer.disconnect()
  }, [ids])
  return targets.find(({ id }) => inView.has(id))?.id ?? targets[0]?.id
}
