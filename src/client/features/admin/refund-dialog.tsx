import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdminPayment } from '#shared/admin/admin.ts'
import { api } from '#shared/api.ts'
import { REFUND_NOTE_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { announce } from '#client/lib/toast-store.ts'
import { invalidateAfter } from './admin.queries.ts'
import { ReasonDialog } from './reason-dialog.tsx'

/** What the payer can be told about a refund that is due. */
const SUGGESTED_NOTES: Partial<Record<string, string>> = {
  memorial_already_paid: 'You paid for the same memorial twice, so we are returning the second payment.',
  amount_differs: 'The amount that reached us isn’t the price, so we are returning it.',
  order_already_paid: 'You paid for the same memorial twice, so we are returning the second payment.',
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
  const refund = useMutation({
    mutationFn: (reason: string) => call(api.refundPayment, { params: { id: payment.id }, body: { reason } }),
    onSuccess({ status }) {
      announce(status === 'REFUNDED' ? messages.admin.refundedTitle : messages.admin.refundAskedTitle)
      onClose()
    },
    // Also after a failure: the provider may have made the refund although the response was lost.
    onSettled: () => invalidateAfter(client, 'payment'),
  })
  return (
    <ReasonDialog
      title={`Refund ${amount} to ${payment.payer.email}?`}
      hint="Write it to the payer: they get exactly these words in an email. Leave out what is only for us."
      required={messages.admin.refundNoteRequired}
      max={REFUND_NOTE_MAX}
      suggested={payment.refundNote ?? SUGGESTED_NOTES[payment.refundReason ?? ''] ?? ''}
      confirmLabel={payment.provider === 'paynow' ? 'I have sent it back' : 'Refund'}
      keepLabel="Do not refund"
      isBusy={refund.isPending}
      error={refund.error}
      onConfirm={(reason) => refund.mutate(reason)}
      onClose={onClose}
    >
      <p>
        {payment.provider === 'paynow'
          ? 'Paynow can’t send money back by itself. Send it in Paynow’s portal first; this only notes that you did. It cannot be undone.'
          : 'The whole amount goes back to the card it came from. This cannot be undone.'}
        {payment.memorialId !== null && ' The memorial stays as it is until an admin removes it.'}
      </p>
    </ReasonDialog>
  )
}
