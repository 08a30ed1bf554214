import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useId, useRef, useState, type FormEvent } from 'react'
import { Link } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { errorText } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { Button } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Skeleton } from '#client/ui/page.tsx'
import { CARD_ID } from './focus-card.ts'
import { useCardPayment } from './pay.ts'
import type { Purchase } from './pay-calls.ts'
import { requireCardDocument, loadStripe, type Stripe, type StripeCard } from './stripe-js.ts'
import styles from './payments.module.css'

/** False if something on this device, such as a frame blocker, removed the provider's field from the page. */
function hasCardField(): boolean {
  return document.querySelector(`#${CARD_ID} iframe`) !== null
}

/** The card payment: Stripe's card field, a button, and the result. */
export function CardForm(props: Purchase) {
  const client = useQueryClient()
  const stripe = useQuery({
    queryKey: ['stripe-js'],
    structuralSharing: false,
    async queryFn() {
      await requireCardDocument()
      const config = await client.fetchQuery(endpointQuery(api.config, {}))
      if (!config.stripePublishableKey) throw new Error(messages.payment.notAvailable)
      return loadStripe(config.stripeJsUrl, config.stripePublishableKey)
    },
  })
  if (stripe.isFetching) return <CardSkeleton />
  if (!stripe.data) {
    const own = stripe.error instanceof Error ? stripe.error.message : ''
    return (
      <Notice kind="error">
        <p>{errorText(stripe.error, own || messages.payment.formFailed)}</p>
        <Button onClick={() => void stripe.refetch()}>Try again</Button>
      </Notice>
    )
  }
  return <PayWithCard stripe={stripe.data} {...props} />
}

function CardSkeleton() {
  return (
    <div aria-busy="true">
      <output className="visually-hidden">Loading the card form</output>
      {/* As high as the form on a phone: what stands below must not move away from under a thumb. */}
      <Skeleton height="15rem" />
    </div>
  )
}

function PayWithCard({ stripe, ...props }: Purchase & { stripe: Stripe }) {
  const id = useId()
  const [cardError, setCardError] = useState<string | null>(null)
  const { card, mount } = useCardField(stripe, setCardError)
  const payment = useCardPayment(props)

  function submit(event: FormEvent) {
    event.preventDefault()
    void payment.pay(stripe, hasCardField() ? card.current : null)
  }

  return (
    <form onSubmit={submit} aria-busy={payment.isProcessing}>
      <p className={styles.cardLabel} id={`${id}-label`}>
        Card number, expiry date and security code
      </p>
      <div
        id={CARD_ID}
        className={styles.card}
        ref={mount}
        tabIndex={-1}
        role="group"
        aria-labelledby={`${id}-label`}
      />
      <p className={`error-text ${styles.cardError}`} id={`${id}-error`} aria-live="assertive">
        {cardError}
      </p>
      {payment.failure && (
        <Notice kind="error" title={payment.failure.title} takesFocus>
          <p>{payment.failure.text}</p>
          <p>
            {payment.failure.isCharged === false
              ? messages.payment.noMoneyTaken
              : 'We do not know yet whether the card was charged. Check your messages from the bank before you try again.'}
          </p>
        </Notice>
      )}
      {payment.pendingId && <StillPending onCheckAgain={payment.checkAgain} />}
      {/* Not `disabled`: that would lose the focus. A second click does nothing. */}
      <Button type="submit" variant="primary" wide aria-disabled={payment.isProcessing}>
        {payment.isProcessing ? messages.payment.processing : messages.payment.pay}
      </Button>
      <p className={`small-muted ${styles.small}`}>
        Charged once, in US dollars.{props.link?.isGift ? '' : ' Not refundable.'} Questions?{' '}
        <Link to={links.contact}>Contact support</Link>
      </p>
    </form>
  )
}

function StillPending({ onCheckAgain }: { onCheckAgain: () => Promise<void> }) {
  return (
    <Notice kind="warning" title="Your bank has not answered yet">
      <p>Do not pay again. You can wait here, or leave: we will send you a receipt when it is done.</p>
      <Button onClick={() => void onCheckAgain()}>Check again</Button>
    </Notice>
  )
}

/** Mounts Stripe's card field in an element and destroys it with the element. */
function useCardField(stripe: Stripe, onError: (message: string | null) => void) {
  const card = useRef<StripeCard | null>(null)
  const mount = useCallback(
    (element: HTMLDivElement) => {
      const look = getComputedStyle(element)
      const field = stripe.elements().create('card', {
        hidePostalCode: true,
        style: {
          base: {
            color: look.color,
            fontFamily: look.fontFamily,
            fontSize: '17px',
            lineHeight: '24px',
            iconColor: look.color,
          },
        },
      })
      field.on('change', (event) => onError(event.error?.message ?? null))
      field.mount(element)
      element.addEventListener('focus', () => field.focus())
      // A field that isn't ready yet loses the focus that it's given.
      field.on('ready', () => document.activeElement === element && field.focus())
      card.current = field
      return () => {
        field.destroy()
        card.current = null
      }
    },
    [stripe, onError],
  )
  return { card, mount }
}
