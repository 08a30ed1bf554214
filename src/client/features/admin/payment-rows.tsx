import { Link } from 'react-router-dom'
import type { AdminPayment } from '#shared/admin.ts'
import type { PaymentProvider } from '#shared/payments.ts'
import { formatDate } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { PaymentBadge } from './badge.tsx'
import { RefundButton } from './refund-button.tsx'
import rows from './rows.module.css'

const PROVIDERS: Record<PaymentProvider, string> = { stripe: 'Card', paynow: 'Local payment' }
/** Labels for the server's refund and failure reasons; an unknown one is shown as is. */
const REASONS: Record<string, string> = {
  memorial_already_paid: 'The memorial was paid for twice',
  account_deleted: 'The account was deleted before the money came',
  refund_asked: 'A refund was asked for',
  refund_failed: 'The refund failed: the money is still here',
}

/** Desktop layout: one table row per payment. */
export function PaymentTable({ payments }: { payments: AdminPayment[] }) {
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
            <th scope="row">{payment.payer.email}</th>
            <td>
              <MemorialOf payment={payment} />
            </td>
            <td className={rows.amount}>{amountOf(payment)}</td>
            <td>
              <PaymentBadge status={payment.status} />
            </td>
            <td className={rows.date}>{formatDate(dayOf(payment))}</td>
            <td>{PROVIDERS[payment.provider]}</td>
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
export function PaymentCards({ payments }: { payments: AdminPayment[] }) {
  return (
    <ul className={rows.cards} aria-label="Payments">
      {payments.map((payment) => (
        <li key={payment.id} tabIndex={-1} className={rows.card}>
          <div className={rows.badges}>
            <strong className={rows.amount}>{amountOf(payment)}</strong>
            <PaymentBadge status={payment.status} />
          </div>
          <dl className={rows.facts}>
            <dt>Payer</dt>
            <dd>{payment.payer.email}</dd>
            <dt>Memorial</dt>
            <dd>
              <MemorialOf payment={payment} />
            </dd>
            <dt>Date</dt>
            <dd>{formatDate(dayOf(payment))}</dd>
            <dt>By</dt>
            <dd>{PROVIDERS[payment.provider]}</dd>
          </dl>
          <Refund payment={payment} />
        </li>
      ))}
    </ul>
  )
}

type Row = { payment: AdminPayment }

function MemorialOf({ payment: { memorial, memorialId, status } }: Row) {
  if (memorial) {
    return (
      <>
        <Link to={links.memorial(memorial.id)}>{memorial.honoureeFullName}</Link>
        {memorialId === null && ' (meant for)'}
      </>
    )
  }
  return status === 'PAID' ? 'Waits for a memorial' : '–'
}

function Refund({ payment }: Row) {
  const { refundReason: reason, status } = payment
  if (reason === null && status !== 'PAID') return null
  return (
    <div className={rows.actions}>
      {reason !== null && <span className={rows.reason}>{REASONS[reason] ?? reason}</span>}
      {status === 'PAID' && <RefundButton payment={payment} amount={amountOf(payment)} />}
    </div>
  )
}

function dayOf({ paidAt, createdAt }: AdminPayment): string {
  return paidAt ?? createdAt
}

/** `$60.00`. */
function amountOf({ amount, currency }: AdminPayment): string {
  return (amount / 100).toLocaleString('en-US', { style: 'currency', currency })
}
