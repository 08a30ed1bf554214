import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Navigate, useNavigate, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { MEMORIAL_QUOTA } from '#shared/limits.ts'
import { formatBytes, messages, withoutScriptMessages } from '#shared/messages.ts'
import type { Payment } from '#shared/payments/payments.ts'
import { MemorialError } from '#client/features/memorials/page/memorial-error.tsx'
import { PaymentMethods } from '#client/features/payments/payment-methods.tsx'
import { Inclusions, Price } from '#client/features/payments/price.tsx'
import { useCredit, WaitingCredit } from '#client/features/payments/waiting-credit.tsx'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'
import styles from './checkout.module.css'

const { images, video, bytes } = MEMORIAL_QUOTA
const INCLUSIONS = [
  'Lifetime hosting',
  'Unlimited photos and videos',
  'Family and friends collaboration',
  'Privacy controls',
  'Digital funeral programs',
  'QR codes',
] as const

/** Pays for one memorial (`?memorialId=`), or for one that doesn't exist yet. */
export default function CheckoutPage() {
  const [search] = useSearchParams()
  const memorialId = search.get('memorialId')
  const client = useQueryClient()
  const navigate = useNavigate()
  const memorialQuery = endpointQuery(api.memorial, { params: { id: memorialId ?? '' } })
  const { data, error, isLoading, refetch } = useQuery({ ...memorialQuery, enabled: memorialId !== null })
  const memorial = data?.memorial
  const { credit, isLoading: isAsking } = useCredit()
  const isPaid = memorialId === null ? credit !== undefined : memorial?.isPaid

  function finish(payment: Payment) {
    // Reload everything that shows "not paid".
    void client.invalidateQueries({ refetchType: 'none' })
    void navigate(links.paid(payment.id, memorialId))
  }

  // Back from Paynow's page, where this payment succeeded.
  const payments = useQuery(endpointQuery(api.userPayments, {})).data?.payments
  const returned = payments?.find(({ id, status }) => id === search.get('paymentId') && status === 'PAID')
  const paidBy =
    memorialId === null ? credit?.paidBy : payments?.find((one) => one.memorialId === memorialId)?.paidBy
  if (returned) return <Navigate replace to={links.paid(returned.id, memorialId)} />

  // Don't take a payment for a memorial that the user can't see.
  if (error) return <MemorialError error={error} onRetry={() => void refetch()} />
  return (
    <Page>
      <PageTitle>Memorial Payment</PageTitle>
      <div className={styles.columns}>
        <section aria-labelledby="included-title">
          <Price />
          <h2 id="included-title" className={styles.included}>
            What is included
          </h2>
          <Inclusions items={INCLUSIONS} />
          <p className="small-muted">
            A memorial holds up to {images.toLocaleString('en')} photos, {video} videos and{' '}
            {formatBytes(bytes)} in all.
          </p>
        </section>
        <section aria-label="Payment" className={styles.pay}>
          {memorial && (
            <p className={styles.for}>
              For the memorial of <strong>{memorial.honoureeFullName}</strong>
            </p>
          )}
          {isLoading || isAsking ? (
            <div className={styles.loading}>
              <noscript>
                <Notice kind="warning" title={withoutScriptMessages.title}>
                  <p>Please turn it on, or pay in another browser.</p>
                </Notice>
              </noscript>
            </div>
          ) : isPaid ? (
            <Notice kind="success">
              <p>
                {paidBy
                  ? `${paidBy} has paid. There is nothing more to pay.`
                  : memorialId
                    ? messages.payment.alreadyPaid
                    : messages.payment.creditWaiting}
              </p>
              {memorialId ? (
                <ButtonLink to={links.memorial(memorialId)}>Open the memorial</ButtonLink>
              ) : (
                <ButtonLink variant="primary" to={links.createMemorial} reloadDocument>
                  Create the memorial
                </ButtonLink>
              )}
            </Notice>
          ) : credit && memorial ? (
            <WaitingCredit credit={credit} memorials={[memorial]} />
          ) : (
            <PaymentMethods
              memorialId={memorialId}
              onPaid={finish}
              onAlreadyPaid={() => void client.invalidateQueries()}
            />
          )}
        </section>
      </div>
    </Page>
  )
}
