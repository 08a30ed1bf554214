import { useEffect, useEffectEvent } from 'react'

/** Asks the user before the page closes, while `isActive` and if `wouldLose` says that something would be lost. */
export function useLeaveWarning(isActive: boolean, wouldLose: () => boolean = () => true): void {
  const warn = useEffectEvent((event: BeforeUnloadEvent) => {
    if (wouldLose()) event.preventDefault()
  })
  useEffect(() => {
    if (!isActive) return undefined
    const ask = (event: BeforeUnloadEvent) => warn(event)
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [isActive])
}
