import type { ReactNode } from 'react'
import styles from './replies.module.css'

/** A part that opens without script. `of` tells it apart from others with the same title. */
export function Fold({
  title,
  of,
  isOpen = false,
  onToggle,
  children,
}: {
  title: string
  of?: string
  isOpen?: boolean
  onToggle?: (isOpen: boolean) => void
  children: ReactNode
}) {
  return (
    <details
      className={styles.fold}
      open={isOpen}
      onToggle={onToggle && (({ currentTarget }) => onToggle(currentTarget.open))}
    >
      <summary>
        {title}
        {of !== undefined && <span className="visually-hidden">: {of}</span>}
      </summary>
      {children}
    </details>
  )
}
