import { useEffect, useRef, useCallback, useSyncExternalStore, useEffectEvent } from 'react'
import { NavigationType, useLocation, useNavigationType } from 'react-router-dom'

/** Scrolls to the top when a link opens a screen. For Back and Forward, the browser restores the position. */
export function useTopOnNavigation(): void {
  const { pathname } = useLocation()
  const type = useNavigationType()
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    if (type !== NavigationType.Pop) window.scrollTo(0, 0)
  }, [pathname, type])
}

/** Once `isReady`, moves to the element that the address points at (`#mails`), which must be focusable. */
export function useHashFocus(isReady: boolean): void {
  const { hash } = useLocation()
  useEffect(() => {
    if (isReady && hash !== '') document.getElementById(decodeHash(hash.slice(1)))?.focus()
  }, [isReady, hash])
}

/** The id in the address (`#privacy`), or null. Scrolls to it once: the browser looks for it before the screen renders. */
export function useHashTarget(): string | null {
  const { hash } = useLocation()
  const id = hash === '' ? null : decodeHash(hash.slice(1))
  useEffect(() => {
    if (id !== null) document.getElementById(id)?.scrollIntoView()
  }, [id])
  return id
}

/** Returns malformed escapes unchanged, so that they don't break the page. */
function decodeHash(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** True while the CSS media query matches. */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => false,
  )
}

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
