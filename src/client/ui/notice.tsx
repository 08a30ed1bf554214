import type { ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import { errorText } from '#client/lib/call.ts'
import { Button } from './button.tsx'
import styles from './notice.module.css'

/**
 * A persistent message: what happened, what is safe, what to do. `error` is announced at once, the others politely. One that
 * answers a press is put where the press was, and takes the focus.
 */
export function Notice({
  kind = 'info',
  title,
  takesFocus = false,
  children,
}: {
  kind?: 'info' | 'success' | 'warning' | 'error'
  title?: string
  takesFocus?: boolean
  children?: ReactNode
}) {
  return (
    <div
      ref={takesFocus ? focusOn : undefined}
      className={`${styles.notice} ${styles[kind]}`}
      role={kind === 'error' ? 'alert' : 'status'}
      tabIndex={takesFocus ? -1 : undefined}
    >
      {title && <p className={styles.title}>{title}</p>}
      {children}
    </div>
  )
}

function focusOn(element: HTMLElement | null): void {
  element?.focus()
}

/** What a press could not do, beside what was pressed; nothing while there is no error. */
export function ActionFailed({ title, error }: { title: string; error: unknown }) {
  if (!error) return null
  return (
    <Notice kind="error" title={title} takesFocus>
      <p>{errorText(error, messages.system.internal)}</p>
    </Notice>
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
