import { useEffect, useState, type ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import { Button } from './button.tsx'
import { Skeleton } from './page.tsx'
import styles from './page.module.css'

const SHOWN_AFTER_MS = 200
const SLOW_AFTER_MS = 8000

/**
 * In the place of something that is on its way: nothing for 200 ms, then its shape (`children`), after 8 s a word about it
 * (look.md 8). Retry is a new document: a question that hangs is not asked again by asking.
 */
export function Loading({
  label,
  className = styles.loading,
  children,
}: {
  /** Said once, politely. */
  label: string
  className?: string | undefined
  children: ReactNode
}) {
  const waited = useWaited()
  return (
    <div aria-busy="true" className={className}>
      {waited !== 'short' && (
        <>
          <p className="visually-hidden" role="status">
            {label}
          </p>
          {children}
        </>
      )}
      {waited === 'long' && (
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

/** How many places show a shape now: what follows one of them goes on where it was, without a gap between. */
let shapes = 0

function useWaited(): 'short' | 'medium' | 'long' {
  const [waited, setWaited] = useState<'short' | 'medium' | 'long'>(() => (shapes > 0 ? 'medium' : 'short'))
  const hasShape = waited !== 'short'
  useEffect(() => {
    if (!hasShape) return undefined
    shapes += 1
    return () => {
      shapes -= 1
    }
  }, [hasShape])
  useEffect(() => {
    const timers = [
      setTimeout(() => setWaited('medium'), SHOWN_AFTER_MS),
      setTimeout(() => setWaited('long'), SLOW_AFTER_MS),
    ]
    return () => timers.forEach(clearTimeout)
  }, [])
  return waited
}
