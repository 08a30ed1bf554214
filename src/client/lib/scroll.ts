import { useEffect, useRef } from 'react'
import { NavigationType, useLocation, useNavigationType } from 'react-router-dom'

/** A screen opened by a link begins at its top; Back and Forward are left to the browser, which remembers the place. */
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

/**
 * The id that the address points at (`#privacy`), or null. Scrolls there once: the browser itself looks for the id before
 * the screen is drawn.
 */
export function useHashTarget(): string | null {
  const { hash } = useLocation()
  const id = hash === '' ? null : decodeHash(hash.slice(1))
  useEffect(() => {
    if (id !== null) document.getElementById(id)?.scrollIntoView()
  }, [id])
  return id
}

/** A malformed escape is no reason to lose the page. */
function decodeHash(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
