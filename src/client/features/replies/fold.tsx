import type { ReactNode } from 'react'
import { useDetails } from '#client/lib/use-details.ts'
import styles from './replies.module.css'

/** A part that opens without script. `of` tells it apart from others with the same title. `isLate`: what is inside renders when it is opened. */
export function Fold({
  title,
  of,
  isOpen = false,
  isLate = false,
  children,
}: {
  title: string
  of?: string
  isOpen?: boolean
  isLate?: boolean
  children: ReactNode
}) {
  const { isOpen: isOpened, details } = useDetails()
  return (
    <details {...details} className={styles.fold} open={isOpen}>
      <summary data-plain>
        {title}
        {of !== undefined && <span className="visually-hidden">: {of}</span>}
      </summary>
      {(!isLate || isOpened) && children}
    </details>
  )
}
