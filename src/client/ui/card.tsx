import type { ReactNode } from 'react'
import styles from './card.module.css'

/** A section with a heading on its own surface. */
export function Card({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section id={id} className={styles.card} aria-labelledby={`${id}-title`}>
      <h2 className={styles.title} id={`${id}-title`}>
        {title}
      </h2>
      {children}
    </section>
  )
}
