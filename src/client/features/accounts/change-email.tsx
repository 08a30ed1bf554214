import { useState } from 'react'
import { api } from '#shared/api.ts'
import { CHANGE_EMAIL_FIELDS } from '#shared/fields.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { checkFields, checkFilled, useForm } from '#client/lib/use-form.ts'
import { PasswordField, TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { Notice } from '#client/ui/notice.tsx'

/** Asks for another address. Says the same whoever has it. */
export default function ChangeEmailForm() {
  const [said, setSaid] = useState<{ text: string; at: number } | null>(null)
  const { form, field } = useForm({
    name: 'change-email',
    initial: { email: '', password: '', code: '' },
    check: ({ email, password }) =>
      checkFilled({ email: email.trim(), password }) ?? checkFields(CHANGE_EMAIL_FIELDS, { email, password }),
    async send(body, reset) {
      setSaid(null)
      const { message } = await call(api.changeEmail, { body })
      reset()
      setSaid({ text: message, at: Date.now() })
    },
    fallback: messages.system.internal,
  })
  return (
    <>
      <p>
        We send a link to the new address and one to the old. Nothing changes before both are confirmed. For 7
        days after that, the old address can undo it.
      </p>
      {said && (
        <Notice key={said.at} kind="success" takesFocus>
          <p>{said.text}</p>
        </Notice>
      )}
      <Form
        title={messages.account.notChangedTitle}
        form={form}
        submit="Change email address"
        submitting="Sending …"
      >
        <TextField {...field('email')} label="New email address" type="email" autoComplete="email" />
        <PasswordField {...field('password')} label="Your password" autoComplete="current-password" />
        <TextField
          {...field('code')}
          label="Printed code, if you can’t open your old mailbox"
          optional
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
        />
      </Form>
    </>
  )
}
