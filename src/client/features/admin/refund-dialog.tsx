import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { AdminPayment } from '#shared/admin.ts'
import { api } from '#shared/api.ts'
import { REFUND_NOTE_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { announce } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { Dialog, DialogActions } from '#client/ui/dialog.tsx'
import { TextAreaField } from '#client/ui/field.tsx'
import { ActionFailed } from '#client/ui/notice.tsx'
import { invalidateAfter } from './admin.queries.ts'

/** What the payer can be told about a refund that is due. */
const SUGGESTED_NOTES: Partial<Record<string, string>> = {
  memorial_already_paid: 'You paid for the same memorial twice, so we are returning the second payment.',
}

/** Asks for the reason, which is mailed to the payer, and refunds. A failure is shown here. */
export function RefundDialog({
  payment,
  amount,
  onClose,
}: {
  payment: AdminPayment
  amount: string
  onClose: () => void
}) {
  const client = useQueryClient()
  const [reason, setReason] = useState(
    payment.refundNote ?? SUGGESTED_NOTES[payment.refundReason ?? ''] ?? '',
  )
  const [problem, setProblem] = useState<string>()
  const refund = useMutation({
    mutationFn: () => call(api.refundPayment, { params: { id: payment.id }, body: { reason } }),
    onSuccess({ status }) {
      announce(status === 'REFUNDED' ? messages.admin.refundedTitle : messages.admin.refundAskedTitle)
      onClose()
    },
    // Also after a failure: the provider may have made the refund although the response was lost.
    onSettled: () => invalidateAfter(client, 'payment'),
  })
  const boxId = `reason-${payment.id}`

  function submit(event: FormEvent) {
    event.preventDefault()
    if (reason.trim() === '') {
      setProblem(messages.admin.refundNoteRequired)
      document.getElementById(boxId)?.focus()
    } else if (!refund.isPending) {
      refund.mutate()
    }
  }

  return (
    <Dialog title={`Refund ${amount} to ${payment.payer.email}?`} onClose={onClose}>
      <p>
        The whole amount goes back to the card it came from. This cannot be undone.
        {payment.memorialId !== null && ' The memorial stays as it is until an admin removes it.'}
      </p>
      <form noValidate onSubmit={submit}>
        <TextAreaField
          id={boxId}
          label="Reason"
          hint="Write it to the payer: they get exactly these words in an email. Leave out what is only for us."
          rows={3}
          max={REFUND_NOTE_MAX}
          error={problem}
          value={reason}
          onChange={(event) => {
            setReason(event.target.value)
            setProblem(undefined)
          }}
        />
        <ActionFailed title={messages.admin.actionFailedTitle} error={refund.error} />
        <DialogActions>
          <Button onClick={onClose}>Do not refund</Button>
          <Button type="submit" variant="danger" aria-disabled={refund.isPending}>
            Refund
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
