import type { ComponentProps, ReactNode } from 'react'
import styles from './disclosure.module.css'

export function Disclosures({ children }: { children: ReactNode }) {
  return <div className={styles.list}>{children}</div>
}

export function Disclosure({ title, children, ...details }: ComponentProps<'details'> & { title: string }) {
  return (
    <details {...details} className={styles.item}>
      <summary className={styles.title}>{title}</summary>
      <div className={styles.body}>{children}</div>
    </details>
  )
}
