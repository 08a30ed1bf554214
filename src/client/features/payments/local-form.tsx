import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { LOCAL_METHODS, METHOD_NAMES, type LocalMethod } from '#shared/payments/local-payments.ts'
import { messages } from '#shared/messages.ts'
import { ApiError, errorFields, errorText } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { useForm } from '#client/lib/use-form.ts'
import { TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { RadioChoices } from '#client/ui/forms/radio-choices.tsx'
import { checkLocalForm } from './local.ts'
import type { LocalPaymentRow } from './open-payment.ts'
import { askPhone, startPaynowPage, type Purchase } from './pay-calls.ts'
import { isOver, tellOver } from './tell-payer.ts'
import styles from './payments.module.css'

const FAILED = 'Failed to initiate PayNow payment'

type Values = { method: LocalMethod; phone: string }

const CHOICES = Object.fromEntries(
  LOCAL_METHODS.map((method) => [
    method,
    { name: METHOD_NAMES[method], ...(method === 'web' ? { explanation: 'On Paynow’s own page' } : {}) },
  ]),
) as Record<LocalMethod, { name: string; explanation?: string }>

/** Asks how to pay and for the number, and sends the request to that phone, or goes on to Paynow's page. */
export function LocalForm({
  initial,
  takesFocus,
  onBegun,
  onAlreadyPaid,
  ...purchase
}: Omit<Purchase, 'onPaid'> & {
  initial: Values
  takesFocus: boolean
  onBegun: (payment: LocalPaymentRow, values: Values) => void
}) {
  const client = useQueryClient()
  const top = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus) top.current?.focus()
  }, [takesFocus])

  async function begin(values: Values): Promise<void> {
    const { method, phone } = values
    if (method === 'web') {
      const { redirectUrl } = await startPaynowPage(purchase)
      window.location.assign(redirectUrl)
      // The button stays busy until Paynow's page is there, and is free again when the browser comes back to this one.
      await new Promise((resolve) => {
        window.addEventListener('pageshow', resolve, { once: true })
      })
      return
    }
    const payment = await askPhone(purchase, { method, phone })
    // Who leaves and comes back finds it in the list. Loaded now, a payment that was answered at once would end this screen, and
    // nobody would say that it's paid.
    void client.invalidateQueries({ queryKey: [api.userPayments.path], refetchType: 'none' })
    if (payment.local) onBegun({ ...payment, local: payment.local }, values)
  }

  const { form, field, values } = useForm<Values>({
    name: 'local',
    initial,
    check: checkLocalForm,
    async send(typed) {
      try {
        await begin(typed)
      } catch (error) {
        if (error instanceof ApiError && isOver(purchase, error.code)) {
          tellOver(purchase, error.text ?? messages.payment.creditWaiting)
          onAlreadyPaid()
          return
        }
        if (Object.keys(errorFields(error)).length === 0)
          showErrorToast(messages.payment.errorTitle, errorText(error, FAILED))
        throw error
      }
    },
    fallback: FAILED,
  })
  const { value, onChange } = field('method')
  const isWeb = values.method === 'web'
  return (
    <div ref={top} tabIndex={-1} className={styles.local}>
      <Form
        title={messages.payment.errorTitle}
        form={form}
        submit={isWeb ? 'Go on to Paynow' : `Pay US$60 with ${METHOD_NAMES[values.method]}`}
        submitting={isWeb ? 'Opening Paynow…' : 'Asking the phone…'}
      >
        <RadioChoices
          question="How do you want to pay?"
          choices={CHOICES}
          value={value as LocalMethod}
          onChoose={(method) => onChange({ target: { value: method } })}
        />
        {!isWeb && (
          <TextField
            {...field('phone')}
            label="The number that pays"
            hint="For example 077 123 4567. The request comes to this phone."
            type="tel"
            inputMode="tel"
            autoComplete="tel"
            required
          />
        )}
      </Form>
      <p className={`small-muted ${styles.small}`}>
        Charged once, in US dollars, by Paynow.{purchase.link?.isGift ? '' : ' Not refundable.'} Questions?{' '}
        <Link to={links.contact}>Contact support</Link>
      </p>
    </div>
  )
}
