import { useEffect, useRef, useSyncExternalStore } from 'react'
import { dismissToast, holdToast, releaseToast, toastStore } from '#client/lib/toast-store.ts'
import styles from './toaster.module.css'

/** The region in which notifications appear; mounted once. It is a popover, so that it is also above open dialogs. */
export function Toaster() {
  const toast = useSyncExternalStore(toastStore.subscribe, toastStore.get, () => null)
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
        {toast?.kind === 'info' ? `${toast.title} ${toast.text ?? ''}` : ''}
      </div>
      <div className="visually-hidden" aria-live="assertive">
        {toast?.kind === 'error' ? `${toast.title} ${toast.text ?? ''}` : ''}
      </div>
    </>
  )
}
