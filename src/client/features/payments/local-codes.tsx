import { useEffect, useState } from 'react'
import { localPaymentMessages, PAYMENT_CODE } from '#shared/payments/local-payments.ts'
import { messages } from '#shared/messages.ts'
import { qrPath } from '#shared/memorials/qr-path.ts'
import type { Payment } from '#shared/payments/payments.ts'
import { useForm } from '#client/lib/use-form.ts'
import { ButtonAnchor } from '#client/ui/button.tsx'
import { TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { sendPaymentCode, type PayerLink } from './pay-calls.ts'
import styles from './payments.module.css'

/** InnBucks: the code as figures, as a QR code for the app on another phone, and as a link for the app on this one. */
export function InnbucksCode({ code, expires }: { code: string; expires: string | null }) {
  return (
    <>
      <p className={styles.code}>{code.replaceAll(/(\d{3})(?=\d)/gu, '$1 ')}</p>
      <p>
        Enter this code in the app{expires === null ? '' : ` before ${expires}`}, or scan it from another
        phone.
      </p>
      <CodeSquare code={code} />
      <ButtonAnchor href={`com.innbucks.customer://purchase?paymentToken=${encodeURIComponent(code)}`}>
        Open the InnBucks app
      </ButtonAnchor>
    </>
  )
}

/** Modules around a QR code, by ISO/IEC 18004. */
const QUIET_ZONE = 4

function CodeSquare({ code }: { code: string }) {
  const [modules, setModules] = useState<boolean[][]>([])
  useEffect(() => {
    async function draw() {
      const { default: QRCode } = await import('qrcode-svg')
      setModules(new QRCode({ content: code, ecl: 'M', padding: 0 }).qrcode.modules)
    }
    void draw()
  }, [code])
  const side = Math.max(21, modules.length) + 2 * QUIET_ZONE
  return (
    <svg
      className={styles.square}
      viewBox={`0 0 ${side} ${side}`}
      role="img"
      aria-label="The code as a QR code"
      shapeRendering="crispEdges"
    >
      <rect width={side} height={side} fill="#fff" />
      <path d={qrPath(modules, QUIET_ZONE)} fill="#000" />
    </svg>
  )
}

/** O'mari: the code of its text message. */
export function OmariCode({
  paymentId,
  link,
  onChanged,
}: {
  paymentId: string
  link: PayerLink | undefined
  onChanged: (payment: Payment) => void
}) {
  const { form, field } = useForm({
    name: 'omari',
    initial: { code: '' },
    check: ({ code }) =>
      PAYMENT_CODE.test(code.trim())
        ? null
        : { text: localPaymentMessages.codeInvalid, fields: { code: localPaymentMessages.codeInvalid } },
    async send({ code }) {
      onChanged(await sendPaymentCode({ link }, paymentId, code))
    },
    fallback: messages.payment.errorFallback,
  })
  return (
    <Form title={messages.payment.errorTitle} form={form} submit="Send the code" submitting="Sending…">
      <TextField
        {...field('code')}
        label="Code from the text message"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
      />
    </Form>
  )
}
