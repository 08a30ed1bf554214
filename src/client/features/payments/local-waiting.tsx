import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react'
import { METHOD_NAMES, type LocalMethod, type LocalProblem } from '#shared/payments/local-payments.ts'
import type { Payment } from '#shared/payments/payments.ts'
import { formatClock, formatTime } from '#client/lib/dates.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import { Disclosure } from '#client/ui/disclosure.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { pauseAfter, stageOf, stepOf } from './local.ts'
import type { LocalPaymentRow } from './open-payment.ts'
import { syncPayment, type PayerLink } from './pay-calls.ts'
import { tellPaid } from './tell-payer.ts'
import { InnbucksCode, OmariCode } from './local-codes.tsx'
import styles from './payments.module.css'

/** Waits for a payment on a phone or on Paynow's page. Leaving is safe: the payment is found again. */
export function LocalWaiting({
  payment: begun,
  link,
  takesFocus,
  onPaid,
  onAgain,
}: {
  payment: LocalPaymentRow
  link: PayerLink | undefined
  takesFocus: boolean
  onPaid: (payment: Payment) => void
  /** Back to the form. */
  onAgain: () => void
}) {
  const { payment, isOffline, look, changed } = useLocalPayment(begun, link, onPaid)
  const now = useNow(payment.status === 'PENDING')
  const stage = stageOf(payment, now)
  if (payment.status === 'PAID') return null
  if (stage === 'over') return <Failed local={payment.local} onAgain={onAgain} />
  return (
    <>
      <Notice
        key={stage}
        kind={stage === 'waiting' ? 'info' : 'warning'}
        title={titleOf(payment, stage)}
        takesFocus={takesFocus}
      >
        {stage === 'waiting' && <HowToPay payment={payment} link={link} onChanged={changed} />}
        {stage === 'uncertain' && (
          <p>
            {payment.local.method === 'web'
              ? 'Nothing was taken. If it doesn’t open, you can pay in another way.'
              : 'If it shows one, you can answer it. We won’t send a second one until we know.'}
          </p>
        )}
        {stage === 'late' && (
          <p>
            {METHOD_NAMES[payment.local.method]} hasn’t confirmed the payment. If you have approved it, give
            it a little time: we go on asking, and a late payment counts.
          </p>
        )}
        {/* A code may be good for longer than a request. */}
        {stage === 'late' && (payment.local.code !== null || payment.local.needsCode) && (
          <HowToPay payment={payment} link={link} onChanged={changed} />
        )}
      </Notice>
      <p className={styles.waited} aria-hidden="true">
        Waiting: {formatClock(Math.max(0, now - Date.parse(payment.createdAt)) / 1000)}
      </p>
      {isOffline && (
        <output className={styles.offline}>No connection. We’ll look again as soon as there is one.</output>
      )}
      <div className="row">
        <Button onClick={look}>Check again</Button>
        {(stage === 'late' || payment.local.method === 'web') && (
          <Button onClick={onAgain}>
            {payment.local.method === 'web' ? 'Pay in another way' : 'Send a new request'}
          </Button>
        )}
      </div>
      {stage !== 'late' && payment.local.phone !== null && (
        <Disclosure title="Wrong number, or it wasn’t me">
          <p>
            Don’t answer the request on that phone; it ends by itself. You can send another at{' '}
            {formatTime(new Date(payment.local.waitUntil))}, or sooner if the first is cancelled.
          </p>
        </Disclosure>
      )}
      <p className={`small-muted ${styles.small}`}>
        You can leave this page. We’ll find the payment again when you come back, and send a receipt when it’s
        paid.
      </p>
    </>
  )
}

function titleOf({ local }: LocalPaymentRow, stage: 'waiting' | 'uncertain' | 'late'): string {
  if (stage === 'late') return 'Not confirmed yet'
  if (stage === 'uncertain' && local.method === 'web') return 'Paynow’s page hasn’t opened yet'
  if (stage === 'uncertain') return 'We don’t know yet whether your phone got the request'
  if (local.method === 'web') return 'Finish on Paynow’s page'
  if (local.method === 'innbucks') return 'Approve the payment in the InnBucks app'
  if (local.method === 'omari') return `O’mari has sent a code to ${local.phone ?? 'your phone'}`
  // In one line.
  const phone = local.phone?.replaceAll(' ', '\u{A0}') ?? ''
  return `Look at your phone ${phone} and enter your PIN`
}

function HowToPay({
  payment,
  link,
  onChanged,
}: {
  payment: LocalPaymentRow
  link: PayerLink | undefined
  onChanged: (payment: Payment) => void
}): ReactNode {
  const { local } = payment
  const step = stepOf(local)
  if (step === 'show') return <InnbucksCode code={local.code ?? ''} expires={local.codeExpires} />
  if (step === 'enter') return <OmariCode paymentId={payment.id} link={link} onChanged={onChanged} />
  if (step === null) return null
  if (step === 'page') {
    return (
      <>
        <p>If you have paid there, it takes a moment until Paynow tells us.</p>
        {local.redirectUrl !== null && <ButtonAnchor href={local.redirectUrl}>Back to Paynow</ButtonAnchor>}
      </>
    )
  }
  return (
    <>
      <p>{METHOD_NAMES[local.method]} asks there for US$60.</p>
      {local.instructions !== null && <p>Nothing on the phone? {local.instructions}</p>}
    </>
  )
}

/** Title and text by reason. What may be tried next is the button. */
const FAILURES: Record<LocalProblem, [title: string, text: string]> = {
  no_balance: [
    'There wasn’t enough money',
    'Nothing was taken. You can add money to the wallet and try again.',
  ],
  cancelled: ['The payment was cancelled', 'The PIN was wrong, or somebody said no. Nothing was taken.'],
  refused: [
    'The request couldn’t be sent',
    'Paynow refused it, and nothing was taken. Please check the number and the way to pay.',
  ],
  failed: ['The payment didn’t go through', 'Nothing was taken.'],
  expired: ['Nobody answered the request', 'Nothing was taken.'],
}

function Failed({ local, onAgain }: { local: LocalPaymentRow['local']; onAgain: () => void }) {
  const isWebCancelled = local.problem === 'cancelled' && local.method === 'web'
  const [title, failed] = FAILURES[local.problem ?? 'failed']
  const text = isWebCancelled ? 'It was cancelled on Paynow’s page. Nothing was taken.' : failed
  return (
    <Notice kind="error" title={title} takesFocus>
      <p>
        {text}
        {local.problem === 'cancelled' && mayRefuseRepeats(local.method) && (
          <> EcoCash may refuse the same payment again within five minutes.</>
        )}
      </p>
      <Button onClick={onAgain}>Try again</Button>
    </Notice>
  )
}

function mayRefuseRepeats(method: LocalMethod): boolean {
  return method === 'ecocash'
}

/** Looks at the payment again and again while the page is visible, and at once when it becomes visible or the line is back. */
function useLocalPayment(
  begun: LocalPaymentRow,
  link: PayerLink | undefined,
  onPaid: (payment: Payment) => void,
) {
  const { id } = begun
  const [sent, setSent] = useState<LocalPaymentRow | null>(null)
  const query = useQuery({
    queryKey: ['local-payment', id],
    queryFn: () => syncPayment({ link }, id),
    initialData: begun,
    staleTime: 0,
    refetchOnMount: 'always',
    refetchOnWindowFocus: 'always',
    refetchOnReconnect: 'always',
    refetchInterval: ({ state }) =>
      state.data?.status === 'PENDING' ? pauseAfter(state.dataUpdateCount + state.errorUpdateCount) : false,
  })
  const found = query.data.local ? { ...query.data, local: query.data.local } : begun
  const payment = sent && sent.status !== 'PENDING' ? sent : found
  const isPaid = payment.status === 'PAID'
  const goOn = useEffectEvent(() => {
    tellPaid({ link })
    onPaid(payment)
  })
  useEffect(() => {
    if (isPaid) goOn()
  }, [isPaid])
  return {
    payment,
    isOffline: query.isError,
    look: () => void query.refetch(),
    changed: (next: Payment) => setSent(next.local ? { ...next, local: next.local } : null),
  }
}

/** The time, each second while `isRunning`. */
function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isRunning) return undefined
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}
