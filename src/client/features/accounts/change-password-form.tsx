import { useState } from 'react'
import { changePasswordInput } from '#shared/accounts.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { useForm } from '#client/lib/use-form.ts'
import { PasswordField } from '#client/ui/field.tsx'
import { Form } from '#client/ui/form.tsx'
import { checkNewPassword } from './new-password.ts'

const EMPTY = { currentPassword: '', newPassword: '', confirmPassword: '' }

/** Changes the password after checking the current one. Other devices are signed out. */
export function ChangePasswordForm() {
  const [values, setValues] = useState(EMPTY)
  const form = useForm({
    check: () => checkNewPassword(changePasswordInput, values, 'newPassword'),
    async send() {
      const { confirmPassword: _, ...body } = values
      const { message } = await call(api.changePassword, { body })
      setValues(EMPTY)
      showToast({ title: message })
    },
    fallback: messages.reset.fallback,
  })
  const field = (name: keyof typeof EMPTY) => ({
    id: `change-${name}`,
    value: values[name],
    error: form.problem?.fields[name],
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value }),
  })
  return (
    <Form
      name="change"
      title={messages.account.notChangedTitle}
      form={form}
      submit="Change password"
      submitting="Saving …"
    >
      <PasswordField {...field('currentPassword')} label="Current password" autoComplete="current-password" />
      <PasswordField
        {...field('newPassword')}
        label="New password"
        autoComplete="new-password"
        hint="At least 8 characters."
      />
      <PasswordField {...field('confirmPassword')} label="Confirm new password" autoComplete="new-password" />
    </Form>
  )
}
