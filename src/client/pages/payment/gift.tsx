import { useState } from 'react'
import { api } from '#shared/api.ts'
import { GIFT_FIELDS, PAYER_FIELDS } from '#shared/payments/pay-link-fields.ts'
import { fillPath } from '#shared/fill-path.ts'
import { GIFT_WORDS_MAX, PRICE_TEXT } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { paths } from '#shared/pages/pages.ts'
import { storePayer } from '#client/features/payments/stored-payer.ts'
import { call } from '#client/lib/call.ts'
import { readText, writeText } from '#client/lib/browser/stored-text.ts'
import { GIFT_LETTER } from '#client/features/gifts/stored-gift.ts'
import { checkFields, useForm } from '#client/lib/use-form.ts'
import { EmailField, TextAreaField, TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'
import styles from './pay.module.css'

const FIELDS = { ...GIFT_FIELDS, email: PAYER_FIELDS.email }

const EMPTY = { fromName: '', email: '', recipientName: '', words: '' }

function readLetter(): Partial<typeof EMPTY> {
  return JSON.parse(readText(GIFT_LETTER) ?? '{}') as Partial<typeof EMPTY>
}

/** `/gift`: what is on the letter, before it is paid. */
export default function GiftPage() {
  // Who comes back from the payment changes the letter that they wrote.
  const [initial] = useState(() => ({ ...EMPTY, ...readLetter() }))
  const { form, field } = useForm({
    name: 'gift',
    initial,
    check: (values) => checkFields(FIELDS, values, messages.form.checkFields),
    async send({ email, ...body }) {
      const { token } = await call(api.createGift, { body })
      writeText(GIFT_LETTER, JSON.stringify({ ...body, email }))
      storePayer(token, { name: FIELDS.fromName.clean(body.fromName), email: FIELDS.email.clean(email) })
      // A new document: only its policy allows the card form.
      window.location.assign(fillPath(paths.pay, { token }))
    },
    fallback: messages.system.internal,
  })
  return (
    <Page width="form">
      <PageTitle>Give a memorial</PageTitle>
      <p>
        For a friend who has lost somebody, and has no strength for forms yet. You pay US{PRICE_TEXT} once.
        Then you get a letter with a code, to print or to send. Your friend makes one memorial with it, within
        five years.
      </p>
      <Form title="Something is missing" form={form} submit="Go on to pay" submitting="Going on…">
        <TextField
          {...field('fromName')}
          label="Your name"
          hint="It’s on the letter."
          autoComplete="name"
          required
        />
        <EmailField {...field('email')} hint="For the receipt and the letter." required />
        <TextField {...field('recipientName')} label="For whom" optional autoComplete="off" />
        <TextAreaField
          {...field('words')}
          label="A few words for the letter"
          optional
          rows={4}
          max={GIFT_WORDS_MAX}
        />
      </Form>
      <p className={`small-muted ${styles.note}`}>
        Until somebody has used the code, you can ask us for your money back.
      </p>
    </Page>
  )
}
