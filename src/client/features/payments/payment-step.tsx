import type { Payment } from '#shared/payments.ts'
import { CardForm } from './card-form.tsx'
import { PaymentMethods } from './payment-methods.tsx'
import styles from './payments.module.css'
import { Inclusions, Price } from './price.tsx'

const WIZARD_INCLUSIONS = [
  '5-step wizard',
  'Unlimited contributors',
  'Photo, video and audio sharing',
  'QR code for the gravestone',
  'Funeral details with calendar integration',
  'Privacy controls: Private, Invite-only or Public',
  'Permanent preservation',
] as const

/** The content of the wizard's payment step. */
export function PaymentStep({
  memorialId,
  onPaid,
  onAlreadyPaid,
}: {
  memorialId: string | null
  onPaid: (payment: Payment) => void
  onAlreadyPaid?: () => void
}) {
  return (
    <>
      <h3 className={styles.heading}>Complete Your Memorial</h3>
      <Price />
      <Inclusions items={WIZARD_INCLUSIONS} />
      <PaymentMethods>
        <CardForm memorialId={memorialId} onPaid={onPaid} onAlreadyPaid={onAlreadyPaid} />
      </PaymentMethods>
    </>
  )
}
