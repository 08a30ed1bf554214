import { useId, useState, type FormEvent, type ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import { Button } from '#client/ui/button.tsx'
import { Dialog, DialogActions } from '#client/ui/dialog.tsx'
import { TextAreaField } from '#client/ui/forms/field.tsx'
import { ActionFailed } from '#client/ui/notice.tsx'

/** Confirms an action whose reason somebody else reads in a mail. `required`: what to say while there is none; without it the reason is optional. */
export function ReasonDialog({
  title,
  hint,
  required,
  max,
  suggested = '',
  confirmLabel,
  keepLabel,
  isBusy,
  error,
  onConfirm,
  onClose,
  children,
}: {
  title: string
  hint: string
  required?: string
  /** In code points. */
  max: number
  suggested?: string
  confirmLabel: string
  keepLabel: string
  isBusy: boolean
  /** Why the action failed. */
  error: Error | null
  onConfirm: (reason: string) => void
  onClose: () => void
  children: ReactNode
}) {
  const boxId = useId()
  const [reason, setReason] = useState(suggested)
  const [problem, setProblem] = useState<string>()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (required !== undefined && reason.trim() === '') {
      setProblem(required)
      document.getElementById(boxId)?.focus()
    } else if (!isBusy) {
      onConfirm(reason)
    }
  }

  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <form noValidate onSubmit={submit}>
        <TextAreaField
          id={boxId}
          label="Reason"
          optional={required === undefined}
          hint={hint}
          rows={3}
          max={max}
          error={problem}
          value={reason}
          onChange={(event) => {
            setReason(event.target.value)
            setProblem(undefined)
          }}
        />
        <ActionFailed title={messages.admin.actionFailedTitle} error={error} />
        <DialogActions>
          <Button onClick={onClose}>{keepLabel}</Button>
          <Button type="submit" variant="danger" aria-disabled={isBusy}>
            {confirmLabel}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
