import { useId, useRef, useState, type KeyboardEvent } from 'react'
import { messages } from '#shared/messages.ts'
import { CardForm } from './card-form.tsx'
import type { Purchase } from './pay.ts'
import { Inclusions, Price } from './price.tsx'
import shared from '../../ui/tabs.module.css'
import styles from './payments.module.css'

const METHODS = [
  { key: 'card', label: 'Credit Card', note: null },
  { key: 'local', label: 'Mobile money or Zimbabwean bank', note: 'Coming soon' },
] as const
type Method = (typeof METHODS)[number]['key']

/** Two payment methods as tabs: card, and a local one marked as coming soon. The arrow keys move between them. */
export function PaymentMethods(purchase: Purchase) {
  const id = useId()
  const [chosen, setChosen] = useState<Method>('card')
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
        {METHODS.map(({ key, label, note }) => (
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
            {note && <span className={styles.soon}> {note}</span>}
          </button>
        ))}
      </div>
      <div {...panel('card')}>
        <CardForm {...purchase} />
      </div>
      <div {...panel('local')}>
        <p>{messages.payment.paynowUnavailable}</p>
        <p className={`small-muted ${styles.small}`}>Until then you can pay by card.</p>
      </div>
    </>
  )
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
