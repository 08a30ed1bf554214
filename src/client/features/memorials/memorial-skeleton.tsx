import { useEffect, useState } from 'react'
import { Button } from '#client/ui/button.tsx'
import { Skeleton } from '#client/ui/page.tsx'
import heroStyles from './hero.module.css'
import styles from './memorial-skeleton.module.css'

const SHOWN_AFTER_MS = 200
const SLOW_AFTER_MS = 8000

/** A memorial on its way: nothing for 200 ms, then its shape, after 8 s a word about it. */
export function MemorialSkeleton({ onRetry }: { onRetry: () => void }) {
  const waited = useWaited()
  return (
    <div aria-busy="true" className={styles['place']}>
      {waited !== 'short' && (
        <>
          <p className="visually-hidden" role="status">
            Loading the memorial
          </p>
          <div className={heroStyles['hero']}>
            <div className={styles['portrait']}>
              <Skeleton height="100%" />
            </div>
            <div className={styles['lines']}>
              <Skeleton height="2.5rem" width="16rem" />
              <Skeleton height="1.25rem" width="13rem" />
              <Skeleton height="1.5rem" width="18rem" />
            </div>
          </div>
        </>
      )}
      {waited === 'long' && (
        <div className={styles['slow']} role="status">
          <p>This is taking longer than usual. Your connection may be slow.</p>
          <Button onClick={onRetry}>Retry</Button>
        </div>
      )}
    </div>
  )
}

function useWaited(): 'short' | 'medium' | 'long' {
  const [waited, setWaited] = useState<'short' | 'medium' | 'long'>('short')
  useEffect(() => {
    const timers = [
      setTimeout(() => setWaited('medium'), SHOWN_AFTER_MS),
      setTimeout(() => setWaited('long'), SLOW_AFTER_MS),
    ]
    return () => timers.forEach(clearTimeout)
  }, [])
  return waited
}
