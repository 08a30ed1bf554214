import { useState } from 'react'
import { resetPasswordInput } from '#shared/accounts.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { ApiError, call, errorText } from '#client/lib/call.ts'
import { useForm } from '#client/lib/use-form.ts'
import { PasswordField } from '#client/ui/field.tsx'
import { Form } from '#client/ui/form.tsx'
import { checkNewPassword } from './new-password.ts'

/** New password, twice. `onDone` is called after success, `onDeadLink` with the reason if the link no longer works. */
export function ResetPasswordForm({
  token,
  onDone,
  onDeadLink,
}: {
  token: string
  onDone: () => Promise<void>
  onDeadLink: (text: string) => void
}) {
  const [password, setPassword] = useState('')
  const [confirmPassword, setConfirmPassword] = useState('')
  const form = useForm({
    check: () => checkNewPassword(resetPasswordInput, { token, password, confirmPassword }, 'password'),
    async send() {
      try {
        await call(api.resetPassword, { body: { token, password } })
      } catch (error) {
        if (error instanceof ApiError && error.status === 410)
          onDeadLink(errorText(error, messages.reset.invalid))
        throw error
      }
      await onDone()
    },
    fallback: messages.reset.fallback,
  })
  return (
    <Form
      name="reset"
      title={messages.reset.failedTitle}
      form={form}
      submit="Set new password"
      submitting="Saving …"
    >
      <PasswordField
        id="reset-password"
        label="New password"
        hint="At least 8 characters."
        autoComplete="new-password"
        value={password}
        error={form.problem?.fields['password']}
        onChange={(event) => setPassword(event.target.value)}
      />
      <PasswordField
        id="reset-confirmPassword"
        label="Confirm new password"
        autoComplete="new-password"
        value={confirmPassword}
        error={form.problem?.fields['confirmPassword']}
        onChange={(event) => setConfirmPassword(event.target.value)}
      />
    </Form>
  )
}
