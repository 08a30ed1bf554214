import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useId, useRef, useState, type KeyboardEvent } from 'react'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { LateDisclosure } from '#client/ui/late-disclosure.tsx'
import { Skeleton } from '#client/ui/page.tsx'
import { CardForm } from './card-form.tsx'
import { findOpenPayment } from './open-payment.ts'
import { useBegunPayment } from './begun-payment.ts'
import type { Purchase } from './pay-calls.ts'
import { Inclusions, Price } from './price.tsx'
import shared from '../../ui/tabs.module.css'
import styles from './payments.module.css'

const LocalPayment = lazy(() => import('./local-payment.tsx'))
const AskToPay = lazy(() => import('./ask-to-pay.tsx'))

const METHODS = [
  { key: 'card', label: 'Credit Card' },
  { key: 'local', label: 'Mobile money or Zimbabwean bank' },
] as const
type Method = (typeof METHODS)[number]['key']

/**
 * Two payment methods as tabs: card, and a local one. The arrow keys move between them. The local one opens by itself while a
 * payment of its own waits.
 */
export function PaymentMethods(purchase: Purchase) {
  const id = useId()
  const config = useQuery(endpointQuery(api.config, {}))
  const { open, isLoading } = useOpenPayment(purchase)
  const [picked, setChosen] = useState<Method | null>(null)
  const chosen = picked ?? (open ? 'local' : 'card')
  const hasLocal = config.data?.hasLocalPayments
  const note = hasLocal === false ? 'Not available here' : 'EcoCash, OneMoney, InnBucks, O’mari, Zimswitch'
  const tabs = useRef<HTMLDivElement>(null)

  const panel = (key: Method) => ({
    role: 'tabpanel',
    id: `${id}-${key}-panel`,
    'aria-labelledby': `${id}-${key}`,
    hidden: chosen !== key,
    className: styles.panel,
  })

  function move(event: KeyboardEvent) {
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    event.preventDefault()
    const next = chosen === 'card' ? 'local' : 'card'
    setChosen(next)
    tabs.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${next}`)}`)?.focus()
  }

  return (
    <>
      <div ref={tabs} className={styles.tabs} role="tablist" aria-label="How to pay">
        {METHODS.map(({ key, label }) => (
          <button
            key={key}
            id={`${id}-${key}`}
            type="button"
            role="tab"
            className={`${shared.tab} ${styles.tab}`}
            aria-selected={chosen === key}
            aria-controls={`${id}-${key}-panel`}
            tabIndex={chosen === key ? 0 : -1}
            onClick={() => setChosen(key)}
            onKeyDown={move}
          >
            {label}
            {key === 'local' && <span className={styles.soon}> {note}</span>}
          </button>
        ))}
      </div>
      <div {...panel('card')}>
        <CardForm {...purchase} />
      </div>
      <div {...panel('local')}>
        {hasLocal === false && !open && (
          <>
            <p>{messages.payment.paynowUnavailable}</p>
            <p className={`small-muted ${styles.small}`}>You can pay by card.</p>
          </>
        )}
        {/* It goes on waiting behind the other tab. */}
        {(hasLocal || open) && (chosen === 'local' || picked !== null) && !isLoading && (
          <Suspense fallback={<Skeleton height="20rem" />}>
            <LocalPayment {...purchase} open={open} />
          </Suspense>
        )}
      </div>
      {!purchase.link && <SomebodyElse memorialId={purchase.memorialId} />}
    </>
  )
}

/** A third way, which loads when it is opened. */
function SomebodyElse({ memorialId }: { memorialId: string | null }) {
  return (
    <div className={styles.else}>
      <LateDisclosure title="Ask somebody else to pay" height="10rem">
        <AskToPay memorialId={memorialId} />
      </LateDisclosure>
    </div>
  )
}

/** The payment by Paynow that this payer has begun and that may still be answered. */
function useOpenPayment({ memorialId, link }: Purchase) {
  const [openedAt] = useState(() => Date.now())
  const own = useQuery({ ...endpointQuery(api.userPayments, {}), enabled: !link })
  const others = useBegunPayment(link?.token ?? null)
  const list = link ? (others.data ? [others.data] : []) : (own.data?.payments ?? [])
  const open = findOpenPayment(list, link ? null : memorialId, openedAt)
  return { open, isLoading: own.isLoading || others.isLoading }
}

const WIZARD_INCLUSIONS = [
  '5-step wizard',
  'Unlimited contributors',
  'Photo, video and audio sharing',
  'QR code for the gravestone',
  'Funeral details with calendar integration',
  'Privacy controls: Private, Invite-only or Public',
  'Permanent preservation',
] as const

export function PaymentStep(purchase: Purchase) {
  return (
    <>
      <h3 className={styles.heading}>Complete Your Memorial</h3>
      <Price />
      <Inclusions items={WIZARD_INCLUSIONS} />
      <PaymentMethods {...purchase} />
    </>
  )
}
