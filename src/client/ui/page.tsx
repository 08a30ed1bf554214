import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useLocation } from 'react-router-dom'
import { documentTitle as toDocumentTitle } from '#shared/page-titles.ts'
import styles from './page.module.css'

/** Sets the document's title: `{title} · Keeping Legacies Alive`. */
export function useDocumentTitle(title: string | null): void {
  useEffect(() => {
    document.title = toDocumentTitle(title)
  }, [title])
}

let firstKey: string | undefined
let hasMoved = false

/** True from the first navigation inside the app on. `key` is the history entry's, as react-router names it. */
function hasNavigated(key: string): boolean {
  firstKey ??= key
  hasMoved ||= key !== firstKey
  return hasMoved
}

/**
 * For the heading of a screen: it takes the focus when the screen was opened by navigation, so that it is announced. On
 * the first load of the document the browser's own focus order stands. `always` for a view without an address of its own.
 */
export function useFocusOnArrival(always = false) {
  const ref = useRef<HTMLHeadingElement>(null)
  const { key } = useLocation()
  const [openedAt] = useState(key)
  useEffect(() => {
    if (hasNavigated(openedAt) || always) ref.current?.focus({ preventScroll: true })
  }, [always, openedAt])
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
 * The heading of a screen: it takes the focus when the screen opens by navigation, and names the document. `takesFocus`
 * for a view that takes the place of a form, whose button had the focus and is gone.
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

/** A still grey block in the place of something that is loading. Sizes are CSS lengths. */
export function Skeleton({ height, width = '100%' }: { height: string; width?: string }) {
  return <div className={styles.skeleton} style={{ height, width }} aria-hidden="true" />
}
