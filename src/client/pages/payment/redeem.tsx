import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link, useNavigate, useParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { fillPath } from '#shared/fill-path.ts'
import { readGiftCode, printGiftCode } from '#shared/payments/gift-codes.ts'
import { messages } from '#shared/messages.ts'
import { payLinkMessages } from '#shared/payments/pay-link-messages.ts'
import type { Gift } from '#shared/payments/pay-links.ts'
import { paths } from '#shared/pages/pages.ts'
import { call, errorText } from '#client/lib/call.ts'
import { formatDate } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { useSession } from '#client/lib/session.ts'
import { removeText, writeText } from '#client/lib/browser/stored-text.ts'
import { GIFT_TO_OPEN } from '#client/features/gifts/stored-gift.ts'
import { useForm } from '#client/lib/use-form.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { ActionFailed, Notice } from '#client/ui/notice.tsx'
import { LoadingScreen, Page, PageTitle } from '#client/ui/page.tsx'
import styles from './redeem.module.css'

/** `/redeem` and `/redeem/:code`: somebody has been given a memorial. */
export default function RedeemPage() {
  const { code } = useParams()
  return (
    <Page width="form">{code === undefined ? <CodeForm typed="" /> : <Found key={code} code={code} />}</Page>
  )
}

function CodeForm({ typed, problem }: { typed: string; problem?: string }) {
  const navigate = useNavigate()
  const { form, field } = useForm({
    name: 'code',
    initial: { code: typed },
    check: ({ code }) =>
      readGiftCode(code) === null
        ? { text: payLinkMessages.codeInvalid, fields: { code: payLinkMessages.codeInvalid } }
        : null,
    async send({ code }) {
      await navigate(fillPath(paths.redeem, { code: printGiftCode(readGiftCode(code) ?? '') }))
    },
    fallback: messages.system.internal,
  })
  return (
    <>
      <PageTitle>Open your gift</PageTitle>
      {problem !== undefined && (
        <Notice kind="error" title={problem}>
          <p>The code has four groups of four characters. There is no I, L, O or 1 in it.</p>
        </Notice>
      )}
      <Form title="Please check the code" form={form} submit="Open it" submitting="Opening…">
        <TextField
          {...field('code')}
          label="The code from the letter"
          hint="For example ABCD-EFGH-JKMN-PQRS"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          required
        />
      </Form>
    </>
  )
}

function Found({ code }: { code: string }) {
  const { data, error, isLoading } = useQuery(endpointQuery(api.gift, { params: { code } }))
  if (isLoading) return <LoadingScreen />
  if (!data) return <CodeForm typed={code} problem={errorText(error, messages.system.internal)} />
  return <GiftToOpen code={code} gift={data.gift} />
}

/** What is said of a gift that can't be opened. */
const CLOSED: Partial<Record<Gift['status'], string>> = {
  REDEEMED: payLinkMessages.codeUsed,
  ENDED: payLinkMessages.codeEnded,
  UNPAID: payLinkMessages.codeUnpaid,
}

function GiftToOpen({ code, gift }: { code: string; gift: Gift }) {
  const client = useQueryClient()
  const { user } = useSession()
  const redeem = useMutation({
    async mutationFn() {
      await call(api.redeemGift, { body: { code } })
      const { memorials } = await call(api.dashboard, {})
      return memorials.some(({ isPaid }) => !isPaid)
    },
    onError: () =>
      void client.invalidateQueries({ queryKey: endpointQuery(api.gift, { params: { code } }).queryKey }),
    onSuccess(hasDraft) {
      removeText(GIFT_TO_OPEN)
      void client.invalidateQueries({ refetchType: 'none' })
      // A new document, as for all screens with a card form. The dashboard offers the gift for a draft, the wizard finds it.
      window.location.assign(hasDraft ? links.dashboard : links.createMemorial)
    },
  })
  const isToOpen = gift.status === 'READY' && !user
  // The mail that confirms a new account opens a page of its own.
  useEffect(() => {
    if (isToOpen) writeText(GIFT_TO_OPEN, code)
  }, [isToOpen, code])
  const next = `?next=${encodeURIComponent(fillPath(paths.redeem, { code }))}`
  const closed = CLOSED[gift.status]
  return (
    <>
      <PageTitle>{`${gift.fromName} gives you a memorial`}</PageTitle>
      {gift.words !== null && <blockquote className={styles.words}>{gift.words}</blockquote>}
      <p>
        A page for somebody you miss: their story, their photos, and the words of everyone who knew them. It’s
        paid for, and it stays. You can take your time.
      </p>
      {closed !== undefined && (
        <Notice
          kind={gift.isYours ? 'success' : 'warning'}
          title={gift.isYours ? 'You have opened this gift' : closed}
        >
          {gift.isYours && <ButtonLink to={links.dashboard}>My Memorials</ButtonLink>}
          {!user && gift.status === 'REDEEMED' && (
            <p>
              Was it you? <Link to={links.login + next}>Sign in</Link> to see your memorial.
            </p>
          )}
        </Notice>
      )}
      {closed === undefined && user && (
        <>
          <Button variant="primary" wide isBusy={redeem.isPending} onClick={() => redeem.mutate()}>
            Begin the memorial
          </Button>
          <p className={`small-muted ${styles.note}`}>
            The gift then belongs to your account. Nobody else can use the code.
          </p>
          <ActionFailed title="This didn’t work" error={redeem.error} />
        </>
      )}
      {closed === undefined && !user && (
        <>
          <p>You need an account to keep it. It’s free, and takes a minute.</p>
          <div className="row">
            <ButtonLink variant="primary" to={links.register + next}>
              Create an account
            </ButtonLink>
            <ButtonLink to={links.login + next}>I have one: sign in</ButtonLink>
          </div>
        </>
      )}
      {closed === undefined && gift.expiresAt !== null && (
        <p className={`small-muted ${styles.note}`}>You can use it until {formatDate(gift.expiresAt)}.</p>
      )}
    </>
  )
}
