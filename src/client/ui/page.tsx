import { useContext, useEffect, useRef, useState, type ReactNode } from 'react'
import { useLocation } from 'react-router-dom'
import { messages } from '#shared/messages.ts'
import { documentTitle as toDocumentTitle } from '#shared/pages/page-titles.ts'
import { DocumentTitleContext, useHydrated } from '#client/lib/server-rendering.ts'
import { Button } from './button.tsx'
import styles from './page.module.css'

/** Sets the document's title: `{title} · Keeping Legacies Alive`. */
export function useDocumentTitle(title: string | null): void {
  const written = useContext(DocumentTitleContext)
  // eslint-disable-next-line react-hooks/immutability -- a collector of the one render on the server
  if (written) written.title = title
  useEffect(() => {
    document.title = toDocumentTitle(title)
  }, [title])
}

const openedEntries = new Set<string>()

/**
 * True after the first navigation inside the app. `key` is react-router's key of the history entry. The frame notes each
 * entry, because a link of the header may be pressed before the first screen has come.
 */
export function hasNavigated(key: string): boolean {
  return openedEntries.add(key).size > 1
}

/**
 * For the heading of a screen: focuses it after a navigation, so that screen readers announce it. On the first load,
 * the browser's focus order applies. `always` is for views without their own address.
 */
export function useFocusOnArrival(always = false) {
  const ref = useRef<HTMLHeadingElement>(null)
  const { key } = useLocation()
  const [openedAt] = useState(key)
  // The server's HTML was there before, and the focus may be in it.
  const [isNew] = useState(useHydrated())
  useEffect(() => {
    if (hasNavigated(openedAt) || (always && isNew)) ref.current?.focus({ preventScroll: true })
  }, [always, isNew, openedAt])
  return ref
}

/** The main part of a screen, in one of four widths. */
export function Page({
  width = 'content',
  children,
}: {
  width?: 'content' | 'narrow' | 'form' | 'reading'
  children: ReactNode
}) {
  return <div className={`${styles.page} ${width === 'content' ? '' : styles[width]}`}>{children}</div>
}

/**
 * The heading of a screen: takes the focus after a navigation, and sets the document's title. `takesFocus` is for a
 * view that replaces a form, because the focused button is gone.
 */
export function PageTitle({
  children,
  documentTitle,
  takesFocus = false,
}: {
  children: string
  documentTitle?: string
  takesFocus?: boolean
}) {
  const ref = useFocusOnArrival(takesFocus)
  useDocumentTitle(documentTitle ?? children)
  return (
    <h1 ref={ref} tabIndex={-1} className={styles.title}>
      {children}
    </h1>
  )
}

/** What to do next, below the text of a screen. */
export function PageActions({ children }: { children: ReactNode }) {
  return <div className={`row ${styles.actions}`}>{children}</div>
}

/** A static grey block that stands in for loading content. Sizes are CSS lengths. */
export function Skeleton({ height, width = '100%' }: { height: string; width?: string }) {
  return <div className={styles.skeleton} style={{ height, width }} aria-hidden="true" />
}

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

/** A section with a heading on its own surface. */
export function Card({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section id={id} className="surface" aria-labelledby={`${id}-title`}>
      <h2 className={styles.cardTitle} id={`${id}-title`}>
        {title}
      </h2>
      {children}
    </section>
  )
}
