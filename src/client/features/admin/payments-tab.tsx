import { useState } from 'react'
import { Link } from 'react-router-dom'
import type { AdminPayment } from '#shared/admin/admin.ts'
import { api } from '#shared/api.ts'
import { METHOD_NAMES } from '#shared/payments/local-payments.ts'
import { messages } from '#shared/messages.ts'
import { formatDate } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { useMediaQuery } from '#client/lib/browser/window-hooks.ts'
import { Button } from '#client/ui/button.tsx'
import { useTabData } from './admin.queries.ts'
import { PaymentBadge } from './badge.tsx'
import { formatMoney } from './figures.tsx'
import { useFocusRow } from './lists.tsx'
import { RefundDialog } from './refund-dialog.tsx'
import { SearchedList, usePageAddress } from './searched-list.tsx'
import rows from './lists.module.css'

export function PaymentsTab() {
  const address = usePageAddress()
  const { page, search } = address
  const { data, isFetching } = useTabData(api.adminPayments, { query: { page, search } })
  const isWide = useMediaQuery('(min-width: 72rem)')
  const payments = data?.payments ?? []
  return (
    <SearchedList
      address={address}
      endpoint={api.adminPayments}
      data={data}
      isBusy={isFetching}
      noun={['payment', 'payments']}
      hint="Type “refund” for the refunds due, “failed” for payments that did not go through."
      placeholder="Search by name or email"
      rowHeight={isWide ? '2.5rem' : '9rem'}
    >
      {payments.length === 0 && <Empty isSearch={search !== ''} />}
      {payments.length > 0 &&
        (isWide ? <PaymentTable payments={payments} /> : <PaymentCards payments={payments} />)}
    </SearchedList>
  )
}

function Empty({ isSearch }: { isSearch: boolean }) {
  if (isSearch) return <p>{messages.admin.noPaymentsFound}</p>
  return (
    <p>
      {messages.admin.emptyPayments}. {messages.admin.emptyPaymentsText}
    </p>
  )
}

/** Who paid, and for whom if that is somebody else. */
function Payer({ payment: { payer, paidFor } }: Row) {
  return (
    <>
      {payer.email}
      {payer.name !== null && (
        <>
          <br />
          {payer.name}
          {paidFor && `, for ${paidFor.email}`}
        </>
      )}
    </>
  )
}

/** How it was paid, from which phone, the provider's number, and which of several attempts it was. */
function Way({ payment }: Row) {
  const { method, phone, providerReference, attempts } = payment
  return (
    <>
      {method === null ? 'Card' : METHOD_NAMES[method]}
      {phone !== null && ` ${phone}`}
      {method !== null && providerReference !== null && (
        <>
          <br />
          Paynow {providerReference}
        </>
      )}
      {attempts > 1 && (
        <>
          <br />
          {attempts} attempts
        </>
      )}
    </>
  )
}

/** Labels for the server's refund and failure reasons; an unknown one is shown as is. */
const REASONS: Record<string, string> = {
  amount_differs: 'Another amount was paid: look in Paynow’s portal',
  memorial_already_paid: 'The memorial was paid for twice',
  order_already_paid: 'It was paid for in another way too',
  account_deleted: 'The account was deleted before the money came',
  refund_asked: 'Refund requested: waiting for the card service',
  refund_failed: 'The refund failed: the money is still here',
}

/** Desktop layout: one table row per payment. */
function PaymentTable({ payments }: { payments: AdminPayment[] }) {
  return (
    <table className={rows.table}>
      <caption className="visually-hidden">Payments</caption>
      <thead>
        <tr>
          <th scope="col">Payer</th>
          <th scope="col">Memorial</th>
          <th scope="col">Amount</th>
          <th scope="col">Status</th>
          <th scope="col">Date</th>
          <th scope="col">By</th>
          <th scope="col" className={rows.last}>
            Refund
          </th>
        </tr>
      </thead>
      <tbody>
        {payments.map((payment) => (
          <tr key={payment.id} tabIndex={-1}>
            <th scope="row">
              <Payer payment={payment} />
            </th>
            <td>
              <PaidMemorial payment={payment} />
            </td>
            <td className={rows.amount}>{amountOf(payment)}</td>
            <td>
              <PaymentBadge status={payment.status} />
            </td>
            <td className={rows.date}>{formatDate(dayOf(payment))}</td>
            <td>
              <Way payment={payment} />
            </td>
            <td>
              <Refund payment={payment} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Phone layout: one card per payment. */
function PaymentCards({ payments }: { payments: AdminPayment[] }) {
  return (
    <ul className={rows.cards} aria-label="Payments">
      {payments.map((payment) => (
        <li key={payment.id} tabIndex={-1} className={`surface ${rows.card}`}>
          <div className={`row ${rows.badges}`}>
            <strong className={rows.amount}>{amountOf(payment)}</strong>
            <PaymentBadge status={payment.status} />
          </div>
          <dl className={rows.facts}>
            <dt>Payer</dt>
            <dd>
              <Payer payment={payment} />
            </dd>
            <dt>Memorial</dt>
            <dd>
              <PaidMemorial payment={payment} />
            </dd>
            <dt>Date</dt>
            <dd>{formatDate(dayOf(payment))}</dd>
            <dt>By</dt>
            <dd>
              <Way payment={payment} />
            </dd>
          </dl>
          <Refund payment={payment} />
        </li>
      ))}
    </ul>
  )
}

type Row = { payment: AdminPayment }

function PaidMemorial({ payment: { memorial, memorialId, status, isGift, paidFor } }: Row) {
  if (memorial) {
    return (
      <>
        <Link to={links.memorial(memorial.id)}>{memorial.honoureeFullName}</Link>
        {memorialId === null && ' (meant for)'}
      </>
    )
  }
  if (isGift && paidFor === null) return 'A gift'
  return status === 'PAID' ? 'Not used yet' : '–'
}

function Refund({ payment }: Row) {
  const { refundReason: reason, status } = payment
  const isRefundable = canRefund(payment)
  if (reason === null && !isRefundable) return null
  return (
    <div className={`row ${rows.actions}`}>
      {/* The status says it once the money is back. */}
      {reason !== null && !(reason === 'refund_asked' && status === 'REFUNDED') && (
        <span className={rows.reason}>{reasonOf(payment, reason)}</span>
      )}
      {isRefundable && <RefundButton payment={payment} amount={amountOf(payment)} />}
    </div>
  )
}

/** What went through Paynow is given back by hand: also while it is disputed, and what came with another amount. */
function canRefund({ status, provider, refundReason }: AdminPayment): boolean {
  if (status === 'PAID') return true
  return provider === 'paynow' && (status === 'DISPUTED' || (status !== 'REFUNDED' && refundReason !== null))
}

function reasonOf({ provider }: AdminPayment, reason: string): string {
  if (reason === 'refund_asked' && provider === 'paynow')
    return 'Sent back, but not noted yet: press Refund again'
  return REASONS[reason] ?? reason
}

function dayOf({ paidAt, createdAt }: AdminPayment): string {
  return paidAt ?? createdAt
}

function amountOf({ amount, currency }: AdminPayment): string {
  return formatMoney(amount, currency)
}

function RefundButton({ payment, amount }: { payment: AdminPayment; amount: string }) {
  const button = useFocusRow()
  const [isAsking, setAsking] = useState(false)
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
      {isAsking && <RefundDialog payment={payment} amount={amount} onClose={() => setAsking(false)} />}
    </>
  )
}
