import { useState } from 'react'
import { updateAccountInput, type User } from '#shared/accounts.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { inputErrors } from '#client/lib/form-errors.ts'
import { useRefreshSession } from '#client/lib/session.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { useForm } from '#client/lib/use-form.ts'
import { TextField } from '#client/ui/field.tsx'
import { Form } from '#client/ui/form.tsx'

/** Edits the user's first and last name. */
export function ChangeNameForm({ user }: { user: User }) {
  const [body, setBody] = useState({ firstName: user.firstName, lastName: user.lastName })
  const refreshSession = useRefreshSession()
  const form = useForm({
    check() {
      const fields = inputErrors(updateAccountInput, body)
      const [first] = Object.values(fields)
      return first === undefined ? null : { text: first, fields }
    },
    async send() {
      await call(api.updateAccount, { body })
      await refreshSession()
      showToast({ title: messages.account.nameChanged })
    },
    fallback: messages.system.internal,
  })
  const field = (name: keyof typeof body) => ({
    id: `name-${name}`,
    value: body[name],
    error: form.problem?.fields[name],
    onChange: (event: { target: { value: string } }) => setBody({ ...body, [name]: event.target.value }),
  })
  return (
    <Form
      name="name"
      title={messages.account.notChangedTitle}
      form={form}
      submit="Save name"
      submitting="Saving …"
    >
      <TextField {...field('firstName')} label="First name" autoComplete="given-name" />
      <TextField {...field('lastName')} label="Last name" autoComplete="family-name" />
    </Form>
  )
}
