import { useEffect, useId, useRef, type ReactNode } from 'react'
import { Button } from './button.tsx'
import styles from './dialog.module.css'

/** A modal dialog: focus stays inside and returns to the opener; Esc and a click outside close it. */
export function Dialog({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  children: ReactNode
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = ref.current
    const opener = document.activeElement
    dialog?.showModal()
    // Of a choice that the dialog is about, the chosen radio button, as with Tab; else the safe button, whatever stands before it.
    dialog?.querySelector<HTMLElement>('[data-first-focus] input:checked, button[data-first-focus]')?.focus()
    return () => {
      dialog?.close()
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      className={`surface ${styles.dialog}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      closedby="any"
    >
      <h2 className={styles.title} id={titleId}>
        {title}
      </h2>
      {children}
    </dialog>
  )
}

/** The row of buttons at the bottom of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return (
    <div className={`row ${styles.actions}`} data-keep-clear>
      {children}
    </div>
  )
}

/** Asks before an action that is hard to undo. The safe button has the focus. */
export function ConfirmDialog({
  title,
  confirmLabel,
  keepLabel = 'Keep it',
  variant = 'danger',
  busy,
  onConfirm,
  onClose,
  children,
}: {
  title: string
  confirmLabel: string
  keepLabel?: string
  variant?: 'danger' | 'primary'
  busy?: boolean
  onConfirm: () => void
  onClose: () => void
  children?: ReactNode
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <DialogActions>
        <Button data-first-focus onClick={onClose}>
          {keepLabel}
        </Button>
        <Button variant={variant} disabled={busy ?? false} onClick={onConfirm}>
          {confirmLabel}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
