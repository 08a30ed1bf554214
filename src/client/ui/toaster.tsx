import { useEffect, useLayoutEffect, useRef, useSyncExternalStore, type RefObject } from 'react'
import { dismissToast, holdToast, releaseToast, toastStore } from '#client/lib/toast-store.ts'
import { liftAbove } from '#client/lib/toast-position.ts'
import styles from './toaster.module.css'

/** What a notification never covers: the cookie notice, the wizard's bar and a dialog's buttons. */
const KEPT_CLEAR = '[data-cookies], [data-keep-clear]'
/** Not headings and other containers that take the focus: those can be larger than the window. */
const CONTROL = 'a, button, input, select, textarea, summary'

/**
 * The region at the bottom in which notifications appear; mounted once. It is a popover, so that it is also above open
 * dialogs.
 */
export function Toaster() {
  const toast = useSyncExternalStore(toastStore.subscribe, toastStore.get, () => null)
  const spoken = useSyncExternalStore(toastStore.subscribe, toastStore.spoken, () => '')
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const region = ref.current
    if (!region || !('showPopover' in region)) return
    if (toast) {
      if (region.matches(':popover-open')) region.hidePopover()
      region.showPopover()
    } else if (region.matches(':popover-open')) {
      region.hidePopover()
    }
  }, [toast])
  useStayClear(ref, toast !== null)
  // Esc closes the notification, because it may cover the focused element (WCAG 2.4.11).
  useEffect(() => {
    if (!toast) return undefined
    const dismissOnEscape = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') dismissToast()
    }
    document.addEventListener('keydown', dismissOnEscape)
    return () => document.removeEventListener('keydown', dismissOnEscape)
  }, [toast])
  // The pressed button disappears with the notification, so the focus goes back to where it was.
  const focusedBefore = useRef<Element | null>(null)
  function close(andRun: (() => void) | null) {
    dismissToast()
    andRun?.()
    if (focusedBefore.current instanceof HTMLElement) focusedBefore.current.focus()
  }
  return (
    <>
      <div ref={ref} popover="manual" className={styles.region}>
        {toast && (
          <div
            className={`${styles.toast} ${toast.kind === 'error' ? styles.error : ''}`}
            onPointerEnter={holdToast}
            onPointerLeave={releaseToast}
            onFocus={({ currentTarget, relatedTarget }) => {
              holdToast()
              if (!currentTarget.contains(relatedTarget)) focusedBefore.current = relatedTarget
            }}
            onBlur={releaseToast}
            data-testid="toast"
          >
            <div>
              <p className={styles.title}>{toast.title}</p>
              {toast.text && <p className={styles.text}>{toast.text}</p>}
            </div>
            {[...(toast.action ? [toast.action] : []), { label: 'Close', run: null }].map(
              ({ label, run }) => (
                <button key={label} type="button" className={styles.button} onClick={() => close(run)}>
                  {label}
                </button>
              ),
            )}
          </div>
        )}
      </div>
      <div className="visually-hidden" aria-live="polite">
        {toast && toast.kind !== 'error'
          ? `${toast.title} ${toast.text ?? ''} ${toast.action?.label ?? ''}`
          : ''}
      </div>
      <div className="visually-hidden" aria-live="polite">
        {spoken}
      </div>
      <div className="visually-hidden" aria-live="assertive">
        {toast?.kind === 'error' ? `${toast.title} ${toast.text ?? ''}` : ''}
      </div>
    </>
  )
}

/**
 * Keeps the notification above what it must not cover, also while the page scrolls or a phone's keyboard opens. That includes
 * the focused control (WCAG 2.4.11).
 */
function useStayClear(ref: RefObject<HTMLDivElement | null>, isShown: boolean): void {
  useLayoutEffect(() => {
    const region = ref.current
    const box = region?.firstElementChild
    if (!isShown || !region || !box) return undefined
    const view = window.visualViewport
    const place = () => {
      const kept = [...document.querySelectorAll(KEPT_CLEAR)]
      const focused = document.activeElement
      if (focused?.matches(CONTROL) && !region.contains(focused)) kept.push(focused)
      const boxes = kept.map((element) => element.getBoundingClientRect())
      const visible = view ? view.offsetTop + view.height : window.innerHeight
      const keyboard = { top: visible, bottom: window.innerHeight }
      const lift = liftAbove([...boxes, keyboard], window.innerHeight, box.clientHeight)
      region.style.setProperty('--lift', `${lift}px`)
    }
    place()
    const size = new ResizeObserver(place)
    size.observe(box)
    document.addEventListener('focusin', place)
    window.addEventListener('scroll', place, { passive: true, capture: true })
    window.addEventListener('resize', place)
    view?.addEventListener('resize', place)
    return () => {
      size.disconnect()
      document.removeEventListener('focusin', place)
      window.removeEventListener('scroll', place, { capture: true })
      window.removeEventListener('resize', place)
      view?.removeEventListener('resize', place)
    }
  }, [ref, isShown])
}
