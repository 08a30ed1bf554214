import type { ComponentProps, ReactNode } from 'react'
import styles from './disclosure.module.css'

/** Lines that unfold, one under the other. */
export function Disclosures({ children }: { children: ReactNode }) {
  return <div className={styles.list}>{children}</div>
}

/** One line that unfolds what belongs to it. */
export function Disclosure({ title, children, ...details }: ComponentProps<'details'> & { title: string }) {
  return (
    <details {...details} className={styles.item}>
      <summary className={styles.title}>{title}</summary>
      <div className={styles.body}>{children}</div>
    </details>
  )
}
