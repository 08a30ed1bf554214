import { useQuery } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'

/** "Payment Successful!", if the server says that this payment is PAID: anyone can open the URL. */
export function PaymentArrival({
  paymentId,
  isPrivate = false,
}: {
  paymentId: string | null
  /** The paid memorial is still private: the next step is to share it. */
  isPrivate?: boolean
}) {
  const { data } = useQuery(endpointQuery(api.userPayments, {}))
  const paid = data?.payments.find((payment) => payment.id === paymentId && payment.status === 'PAID')
  if (!paid) return null
  return (
    <Notice kind="success" title={messages.payment.successTitle}>
      <p>
        {paid.memorialId === null && !paid.isCredit
          ? messages.payment.goesBack
          : messages.payment.successText}
      </p>
      {paid.isCredit && (
        <ButtonLink variant="primary" to={links.createMemorial} reloadDocument>
          Begin the memorial
        </ButtonLink>
      )}
      {isPrivate && paid.memorialId !== null && (
        <>
          <p>Only you can see it until you choose who else can.</p>
          <ButtonLink variant="primary" to={`${links.editMemorial(paid.memorialId)}?step=5`} reloadDocument>
            Share it with the family
          </ButtonLink>
        </>
      )}
    </Notice>
  )
}
