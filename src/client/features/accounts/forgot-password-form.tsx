import { useState } from 'react'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { useForm } from '#client/lib/use-form.ts'
import { EmailField } from '#client/ui/field.tsx'
import { Form } from '#client/ui/form.tsx'

/** Requests a reset link; `onDone` gets the server's message. */
export function ForgotPasswordForm({ onDone }: { onDone: (message: string) => void }) {
  const [email, setEmail] = useState('')
  const form = useForm({
    check: () =>
      email.trim()
        ? null
        : { text: messages.forgot.emailRequired, fields: { email: messages.forgot.emailRequired } },
    async send() {
      const { message } = await call(api.forgotPassword, { body: { email } })
      onDone(message)
    },
    fallback: messages.forgot.fallback,
  })
  return (
    <Form
      name="forgot"
      title={messages.forgot.failedTitle}
      form={form}
      submit="Send reset link"
      submitting="Sending …"
    >
      <EmailField
        id="forgot-email"
        value={email}
        error={form.problem?.fields['email']}
        onChange={(event) => setEmail(event.target.value)}
      />
    </Form>
  )
}
