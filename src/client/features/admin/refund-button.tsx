import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { AdminPayment } from '#shared/admin.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call, errorText } from '#client/lib/call.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { invalidateAfter } from './admin.queries.ts'
import rows from './rows.module.css'
import { useFocusRow } from './use-focus-heir.ts'

/** Refunds a payment after a confirmation. */
export function RefundButton({ payment, amount }: { payment: AdminPayment; amount: string }) {
  const client = useQueryClient()
  const button = useFocusRow()
  const [asking, setAsking] = useState(false)
  const refund = useMutation({
    mutationFn: () => call(api.refundPayment, { params: { id: payment.id } }),
    onSuccess({ status }) {
      if (status === 'REFUNDED') showToast({ title: messages.admin.refundedTitle })
      else showToast({ title: messages.admin.refundAskedTitle, text: messages.admin.refundAskedText })
    },
    onError: (error) =>
      showErrorToast(messages.admin.actionFailedTitle, errorText(error, messages.system.internal)),
    onSettled() {
      setAsking(false)
      // Also after a failure: the provider may have made the refund although the response was lost.
      invalidateAfter(client, 'payment')
    },
  })
  return (
    <>
      <Button
        ref={button}
        className={rows.small}
        aria-label={`Refund ${amount} to ${payment.payer.email}`}
        onClick={() => setAsking(true)}
      >
        Refund
      </Button>
      {asking && (
        <ConfirmDialog
          title={`Refund ${amount} to ${payment.payer.email}?`}
          confirmLabel="Refund"
          keepLabel="Do not refund"
          busy={refund.isPending}
          onConfirm={() => refund.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>
            The whole amount goes back to the card it came from. This cannot be undone.
            {payment.memorialId !== null && ' The memorial stays as it is until somebody removes it.'}
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}
