import { useState } from 'react'
import type { LocalMethod } from '#shared/payments/local-payments.ts'
import type { LocalPaymentRow } from './open-payment.ts'
import { LocalForm } from './local-form.tsx'
import { LocalWaiting } from './local-waiting.tsx'
import type { Purchase } from './pay-calls.ts'

/**
 * Mobile money and Zimbabwean banks: a form, then a screen that waits. `open`: a payment that was begun before and may still be
 * answered.
 */
export default function LocalPayment({ open, ...purchase }: Purchase & { open: LocalPaymentRow | null }) {
  const [begun, setBegun] = useState<LocalPaymentRow | null>(open)
  const [typed, setTyped] = useState<{ method: LocalMethod; phone: string }>({ method: 'ecocash', phone: '' })
  // A form that was shown before takes the focus when it comes back.
  const [isAgain, setAgain] = useState(false)
  if (!begun) {
    return (
      <LocalForm
        {...purchase}
        initial={typed}
        takesFocus={isAgain}
        onBegun={(payment, values) => {
          setTyped(values)
          setBegun(payment)
        }}
      />
    )
  }
  return (
    <LocalWaiting
      key={begun.id}
      payment={begun}
      link={purchase.link}
      takesFocus={begun !== open}
      onPaid={purchase.onPaid}
      onAgain={() => {
        setAgain(true)
        setBegun(null)
      }}
    />
  )
}
