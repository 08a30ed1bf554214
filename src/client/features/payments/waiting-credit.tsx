import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useNavigate } from 'react-router-dom'
import { api } from '#shared/api.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import type { Payment } from '#shared/payments/payments.ts'
import { call } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { showFailure, showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'

/** The user's oldest payment that waits for a memorial; undefined if there is none, or while it loads. */
export function useCredit(isSignedIn = true): { credit: Payment | undefined; isLoading: boolean } {
  const { data, isLoading } = useQuery({ ...endpointQuery(api.userPayments, {}), enabled: isSignedIn })
  return { credit: data?.payments.findLast(({ isCredit }) => isCredit), isLoading }
}

/**
 * Says that a payment waits, with a button for each of these memorials that it could pay for, which then opens that one.
 */
export function WaitingCredit({
  credit,
  memorials,
  children,
}: {
  credit: Payment
  memorials: readonly Memorial[]
  children?: ReactNode
}) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const use = useMutation({
    mutationFn: (id: string) => call(api.useCredit, { params: { id } }),
    onSuccess(_, memorialId) {
      void client.invalidateQueries({ refetchType: 'none' })
      showToast({ title: messages.payment.creditTitle, text: messages.payment.creditUsed })
      void navigate(links.paid(credit.id, memorialId))
    },
    onError(error) {
      showFailure(messages.payment.errorTitle, error)
      // It may have been used in another tab.
      void client.invalidateQueries({ queryKey: [api.userPayments.path] })
    },
  })
  return (
    <Notice
      kind="success"
      title={credit.paidBy ? `${credit.paidBy} has paid for a memorial` : messages.payment.creditTitle}
    >
      <p>
        {credit.paidBy ? 'It’s yours, and' : `Your payment of ${formatDate(credit.createdAt)}`} hasn’t been
        used for a memorial yet.
        {memorials.length === 1 && ' Use it now, and there is nothing more to pay.'}
        {memorials.length > 1 && ' Choose a memorial, and there is nothing more to pay for it.'}
      </p>
      <div className="row">
        {memorials.map(({ id, honoureeFullName }) => (
          <Button
            key={id}
            variant={memorials.length === 1 ? 'primary' : undefined}
            isBusy={use.isPending}
            onClick={() => use.mutate(id)}
          >
            Use it for {honoureeFullName}
          </Button>
        ))}
        {children}
      </div>
    </Notice>
  )
}
