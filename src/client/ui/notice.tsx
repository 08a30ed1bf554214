import type { ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import { errorText } from '#client/lib/call.ts'
import { Button } from './button.tsx'
import styles from './notice.module.css'

/** A persistent message: what happened, what is safe, what to do. `error` is announced at once, the others politely. */
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

/** Says that something could not be loaded, with a button that tries again. */
export function LoadError({ title, error, onRetry }: { title: string; error: unknown; onRetry: () => void }) {
  return (
    <Notice kind="error" title={title}>
      <p>{errorText(error, messages.system.internal)}</p>
      <Button onClick={onRetry}>Try again</Button>
    </Notice>
  )
}
