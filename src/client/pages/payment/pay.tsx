import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useEffectEvent, useState } from 'react'
import { useParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { PAYER_FIELDS } from '#shared/payments/pay-link-fields.ts'
import { fillPath } from '#shared/fill-path.ts'
import { PRICE_TEXT } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { askText } from '#shared/payments/pay-link-messages.ts'
import type { GiftLetter, PayLinkView } from '#shared/payments/pay-links.ts'
import { useBegunPayment } from '#client/features/payments/begun-payment.ts'
import { PaymentMethods } from '#client/features/payments/payment-methods.tsx'
import { forgetPayer, readPayer, storePayer, type Payer } from '#client/features/payments/stored-payer.ts'
import { ApiError, errorText } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { removeText } from '#client/lib/browser/stored-text.ts'
import { GIFT_LETTER } from '#client/features/gifts/stored-gift.ts'
import { checkFields, useForm } from '#client/lib/use-form.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { EmailField, TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { LoadError } from '#client/ui/notice.tsx'
import { LoadingScreen, Page, PageActions, PageTitle, Skeleton } from '#client/ui/page.tsx'
import styles from './pay.module.css'

const Letter = lazy(() => import('#client/features/gifts/letter.tsx'))

/** `/pay/:token`: anybody with the link pays for somebody else's memorial, or for one that they give. */
export default function PayPage() {
  const { token = '' } = useParams()
  const { data, error, isLoading, refetch } = useQuery(endpointQuery(api.payLinkView, { params: { token } }))
  if (isLoading) return <LoadingScreen />
  if (!data) {
    return (
      <Page width="form">
        <PageTitle>This link can’t be opened</PageTitle>
        {error instanceof ApiError && error.status === 404 ? (
          <p>{errorText(error, messages.system.internal)}</p>
        ) : (
          <LoadError title="Something went wrong" error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    )
  }
  if (data.gift && data.status === 'PAID') return <GiftPaid gift={data.gift} token={token} />
  return (
    <Page width="form">
      {data.status === 'OPEN' && (
        <>
          <Heading view={data} token={token} />
          <Paying view={data} token={token} />
        </>
      )}
      {data.status === 'PAID' && <Paid view={data} token={token} />}
      {data.status === 'ENDED' && (
        <>
          <PageTitle>This link has ended</PageTitle>
          <p>
            It can’t be used to pay any more. If you’ve already begun, your payment still counts, and you’ll
            get a receipt.
          </p>
          {data.gift ? (
            <ButtonLink to={links.gift}>Begin a new gift</ButtonLink>
          ) : (
            <p>If {data.fromName} still needs help, please ask for a new link.</p>
          )}
        </>
      )}
    </Page>
  )
}

function Heading({ view, token }: { view: PayLinkView; token: string }) {
  const { memorial, gift, fromName } = view
  if (gift) return <PageTitle>{`A memorial as a gift: US${PRICE_TEXT}, once`}</PageTitle>
  return (
    <>
      {memorial?.hasPortrait && (
        <img className={styles.portrait} src={fillPath(api.payLinkPortrait.path, { token })} alt="" />
      )}
      <PageTitle>{askText(fromName, memorial?.honoureeFullName ?? null)}</PageTitle>
    </>
  )
}

/** Who pays, then how. */
function Paying({ view, token }: { view: PayLinkView; token: string }) {
  const client = useQueryClient()
  const [payer, setPayer] = useState<Payer | null>(() => readPayer(token))
  const [isChanging, setChanging] = useState(false)
  const { queryKey } = endpointQuery(api.payLinkView, { params: { token } })
  const reload = () => void client.invalidateQueries({ queryKey })
  // Back from Paynow's page, or to one that was left.
  const isPaid = useBegunPayment(token).data?.status === 'PAID'
  const tellPaid = useEffectEvent(reload)
  useEffect(() => {
    if (isPaid) tellPaid()
  }, [isPaid])
  return (
    <>
      {!view.gift && (
        <p>
          A memorial is a page for the person who died, with their story, their photos and the words of
          everyone who knew them. It’s paid once, and there is no monthly fee.
        </p>
      )}
      {view.gift && (
        <section className={`surface ${styles.letter}`} aria-label="The letter">
          {view.gift.recipientName !== null && <p>Dear {view.gift.recipientName},</p>}
          {view.gift.words !== null && <p className={styles.words}>{view.gift.words}</p>}
          <p>{view.fromName}</p>
          <ButtonLink to={links.gift}>Change the letter</ButtonLink>
        </section>
      )}
      {payer === null || isChanging ? (
        <PayerForm
          initial={payer ?? { name: '', email: '' }}
          isGift={view.gift !== null}
          fromName={view.fromName}
          onDone={(typed) => {
            storePayer(token, typed)
            setPayer(typed)
            setChanging(false)
          }}
        />
      ) : (
        <>
          <p className={styles.payer}>
            The receipt goes to <strong>{payer.email}</strong>.{' '}
            <Button onClick={() => setChanging(true)}>Change</Button>
          </p>
          <PaymentMethods
            key={payer.email}
            memorialId={null}
            link={{ token, payer, isGift: view.gift !== null }}
            onPaid={reload}
            onAlreadyPaid={reload}
          />
        </>
      )}
      <p className={`small-muted ${styles.note}`}>You can pay until {formatDate(view.expiresAt)}.</p>
    </>
  )
}

function PayerForm({
  initial,
  isGift,
  fromName,
  onDone,
}: {
  initial: Payer
  isGift: boolean
  fromName: string
  onDone: (payer: Payer) => void
}) {
  const { form, field } = useForm({
    name: 'payer',
    initial,
    check: (values) => checkFields(PAYER_FIELDS, values, messages.form.checkFields),
    async send({ name, email }) {
      onDone({ name: PAYER_FIELDS.name.clean(name), email: PAYER_FIELDS.email.clean(email) })
    },
    fallback: messages.system.internal,
  })
  return (
    <Form title="Something is missing" form={form} submit="Go on to pay" submitting="Going on…">
      <TextField
        {...field('name')}
        label="Your name"
        hint={isGift ? 'For the receipt.' : `${fromName} sees it, and can thank you.`}
        autoComplete="name"
        required
      />
      <EmailField
        {...field('email')}
        hint={isGift ? 'For the receipt and the letter.' : `For the receipt. ${fromName} doesn’t see it.`}
      />
    </Form>
  )
}

function Paid({ view, token }: { view: PayLinkView; token: string }) {
  const isPayer = useBegunPayment(token).data?.status === 'PAID'
  useEffect(() => {
    if (isPayer) forgetPayer(token)
  }, [isPayer, token])
  return (
    <>
      <PageTitle takesFocus>This has been paid for</PageTitle>
      <p>
        {isPayer
          ? `Thank you. ${view.fromName} has been told, and the receipt is on its way. If you’d like to see the memorial and add to it, ask ${view.fromName} for the invitation.`
          : `There is nothing more to pay. If you meant to help, ${view.fromName} will be glad to know.`}
      </p>
    </>
  )
}

function GiftPaid({ gift, token }: { gift: GiftLetter; token: string }) {
  const [isGiver] = useState(() => readPayer(token) !== null)
  useEffect(() => {
    forgetPayer(token)
    removeText(GIFT_LETTER)
  }, [token])
  return (
    <Page width="narrow">
      {gift.status === 'UNPAID' ? (
        <>
          <PageTitle>This gift can’t be used</PageTitle>
          <p>
            Its payment was given back, or the bank is looking at it, so the code doesn’t work. Please write
            to us if that’s not what you expect.
          </p>
        </>
      ) : (
        <>
          <div data-print="no">
            <PageTitle>{isGiver ? 'Thank you. Your gift is ready.' : 'Your gift'}</PageTitle>
          </div>
          <Suspense fallback={<Skeleton height="20rem" />}>
            <Letter gift={gift} token={token} />
          </Suspense>
        </>
      )}
      <PageActions>
        <ButtonLink to={links.home}>Home</ButtonLink>
      </PageActions>
    </Page>
  )
}
