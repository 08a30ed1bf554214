import { useState } from 'react'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { useForm } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { ErrorSummary } from '#client/ui/error-summary.tsx'
import { TextField } from '#client/ui/field.tsx'

/** Asks for the address; `onDone` gets the server's words. */
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
    <>
      {form.problem && (
        <ErrorSummary
          title={messages.forgot.failedTitle}
          text={form.problem.text}
          errors={form.problem.fields}
          idOf={(field) => `forgot-${field}`}
        />
      )}
      <form noValidate onSubmit={form.onSubmit}>
        <TextField
          id="forgot-email"
          label="Email"
          type="email"
          autoComplete="email"
          autoCapitalize="none"
          value={email}
          error={form.problem?.fields['email']}
          onChange={(event) => setEmail(event.target.value)}
        />
        <Button type="submit" look="primary" wide disabled={form.busy}>
          {form.busy ? 'Sending …' : 'Send reset link'}
        </Button>
      </form>
    </>
  )
}
