import type { ReactNode } from 'react'
import styles from './notice.module.css'

/**
 * A persistent message: what happened, what is safe, what to do. `error` is announced at once, the others politely.
 */
export function Notice({
  kind = 'info',
  title,
  children,
}: {
  kind?: 'info' | 'success' | 'warning' | 'error'
  title?: string
  children?: ReactNode
}) {
  return (
    <div className={`${styles.notice} ${styles[kind]}`} role={kind === 'error' ? 'alert' : 'status'}>
      {title && <p className={styles.title}>{title}</p>}
      {children}
    </div>
  )
}
