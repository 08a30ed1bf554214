import { useState } from 'react'
import { resetPasswordInput } from '#shared/accounts.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { inputErrors } from '#client/lib/form-errors.ts'
import { useForm, type Problem } from '#client/lib/use-form.ts'
import { PasswordField } from '#client/ui/field.tsx'
import { Form } from '#client/ui/form.tsx'

function checkReset(token: string, password: string, confirmPassword: string): Problem | null {
  if (!password || !confirmPassword) {
    const fields = {
      ...(password ? {} : { password: messages.form.fillAll }),
      ...(confirmPassword ? {} : { confirmPassword: messages.form.fillAll }),
    }
    return { text: messages.form.fillAll, fields }
  }
  if (password !== confirmPassword) {
    return { text: messages.password.mismatch, fields: { confirmPassword: messages.password.mismatch } }
  }
  const fields = inputErrors(resetPasswordInput, { token, password })
  const [first] = Object.values(fields)
  return first === undefined ? null : { text: first, fields }
}

/** New password, twice. `onDone` is called when it is set. */
export function ResetPasswordForm({ token, onDone }: { token: string; onDone: () => void }) {
  const [password, setPassword] = useState('')
  const [confirmPassword, setConfirmPassword] = useState('')
  const form = useForm({
    check: () => checkReset(token, password, confirmPassword),
    async send() {
      await call(api.resetPassword, { body: { token, password } })
      onDone()
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
