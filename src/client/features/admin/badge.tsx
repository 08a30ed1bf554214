import type { ReactNode } from 'react'
import type { Privacy } from '#shared/memorials/memorials.ts'
import type { PaymentStatus } from '#shared/payments/payments.ts'
import { PRIVACY_ICONS } from '#client/lib/privacy.ts'
import styles from './console.module.css'

export type Tone = 'neutral' | 'positive' | 'warning' | 'danger'

const TONE_ICONS: Record<Tone, string> = {
  neutral: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18Zm1 4v5.4l3.6 2-1 1.8-4.6-2.6V7h2Z',
  positive: 'm9.5 17.5-5-5L6 11l3.5 3.5L18 6l1.5 1.5-10 10Z',
  warning: 'M12 3 1.5 21h21L12 3Zm1 15h-2v-2h2v2Zm0-4h-2v-5h2v5Z',
  danger: 'M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20Zm5 11H7v-2h10v2Z',
}

/** A status in one word with an icon, so that it doesn't depend on colour alone. */
export function Badge({
  tone = 'neutral',
  icon,
  children,
}: {
  tone?: Tone
  icon?: string
  children: ReactNode
}) {
  return (
    <span className={tone === 'neutral' ? styles.badge : `${styles.badge} ${styles[tone]}`}>
      <svg viewBox="0 0 24 24" width="14" height="14" fill="currentColor" aria-hidden="true">
        <path d={icon ?? TONE_ICONS[tone]} />
      </svg>
      {children}
    </span>
  )
}

const PRIVACY_LABELS: Record<Privacy, string> = {
  PRIVATE: 'Private',
  INVITE: 'Invite-Only',
  LOCKED: 'Public',
}

/** The privacy setting; shows "Unknown" for a value that this version doesn't know. */
export function PrivacyBadge({ privacy }: { privacy: string }) {
  const known = Object.keys(PRIVACY_LABELS).find((key) => key === privacy) as Privacy | undefined
  if (!known) return <Badge tone="warning">Unknown</Badge>
  return <Badge icon={PRIVACY_ICONS[known]}>{PRIVACY_LABELS[known]}</Badge>
}

const PAYMENT_LABELS: Record<PaymentStatus, { word: string; tone: Tone }> = {
  PENDING: { word: 'Pending', tone: 'neutral' },
  PAID: { word: 'Paid', tone: 'positive' },
  FAILED: { word: 'Failed', tone: 'danger' },
  REFUNDED: { word: 'Refunded', tone: 'neutral' },
  DISPUTED: { word: 'Disputed', tone: 'warning' },
}

export function PaymentBadge({ status }: { status: PaymentStatus }) {
  const { word, tone } = PAYMENT_LABELS[status]
  return <Badge tone={tone}>{word}</Badge>
}
