import { useEffect, useState, type ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import { Button } from './button.tsx'
import { Skeleton } from './page.tsx'
import styles from './page.module.css'

const SHOWN_AFTER_MS = 200
const SLOW_AFTER_MS = 8000

/**
 * Placeholder for content that is loading: nothing for 200 ms, then its shape (`children`), after 8 s also a message
 * with a retry button. Retry reloads the document, because a hanging request can't be restarted.
 */
export function Loading({
  label,
  className = styles.loading,
  children,
}: {
  /** Announced once, politely. */
  label: string
  className?: string | undefined
  children: ReactNode
}) {
  const wait = useWait()
  return (
    <div aria-busy="true" className={className}>
      {wait !== 'short' && (
        <>
          <p className="visually-hidden" role="status">
            {label}
          </p>
          {children}
        </>
      )}
      {wait === 'long' && (
        <div className={styles.slow} role="status">
          <p>{messages.system.slow}</p>
          <Button onClick={() => window.location.reload()}>Retry</Button>
        </div>
      )}
    </div>
  )
}

/** The same for a whole screen whose shape is not known yet. */
export function LoadingScreen() {
  return (
    <Loading label="Loading">
      <Skeleton height="60vh" />
    </Loading>
  )
}

/** Number of shapes on screen. A `Loading` that follows another shows its shape at once, without a gap. */
let shapes = 0

function useWait(): 'short' | 'medium' | 'long' {
  const [wait, setWait] = useState<'short' | 'medium' | 'long'>(() => (shapes > 0 ? 'medium' : 'short'))
  const hasShape = wait !== 'short'
  useEffect(() => {
    if (!hasShape) return undefined
    shapes += 1
    return () => {
      shapes -= 1
    }
  }, [hasShape])
  useEffect(() => {
    const timers = [
      setTimeout(() => setWait('medium'), SHOWN_AFTER_MS),
      setTimeout(() => setWait('long'), SLOW_AFTER_MS),
    ]
    return () => timers.forEach(clearTimeout)
  }, [])
  return wait
}
