import type { ComponentProps, ReactNode } from 'react'
import styles from './disclosure.module.css'

export function Disclosures({ children }: { children: ReactNode }) {
  return <div className={styles.list}>{children}</div>
}

/** `note` says beside the title what is inside. */
export function Disclosure({
  title,
  note = '',
  children,
  ...details
}: ComponentProps<'details'> & { title: string; note?: string }) {
  return (
    <details {...details} className={styles.item}>
      <summary className={styles.title}>
        <span>
          {title}
          {note !== '' && <span className={`small-muted ${styles.note}`}> {note}</span>}
        </span>
      </summary>
      <div className={styles.body}>{children}</div>
    </details>
  )
}
