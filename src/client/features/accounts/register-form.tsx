import { useState } from 'react'
import { registerInput } from '#shared/accounts.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { inputErrors } from '#client/lib/form-errors.ts'
import { links } from '#client/lib/links.ts'
import { useForm, type Problem } from '#client/lib/use-form.ts'
import { EmailField, PasswordField, TextField } from '#client/ui/field.tsx'
import { Form } from '#client/ui/form.tsx'

const EMPTY = { firstName: '', lastName: '', email: '', password: '', confirmPassword: '' }
type Values = typeof EMPTY

/** All five first, then what belongs together, then each field (product spec 5). */
function checkRegistration(values: Values): Problem | null {
  const missing = Object.entries(values).filter(([, value]) => value.trim() === '')
  if (missing.length > 0) {
    return {
      text: messages.form.fillAll,
      fields: Object.fromEntries(missing.map(([field]) => [field, messages.form.fillAll])),
    }
  }
  if (values.password !== values.confirmPassword) {
    return { text: messages.password.mismatch, fields: { confirmPassword: messages.password.mismatch } }
  }
  const fields = inputErrors(registerInput, values)
  const [first] = Object.values(fields)
  return first === undefined ? null : { text: first, fields }
}

/** The five fields of registration. `onDone` gets the address, to be filled in at login. */
export function RegisterForm({ onDone }: { onDone: (email: string) => void }) {
  const [values, setValues] = useState(EMPTY)
  const form = useForm({
    check: () => checkRegistration(values),
    async send() {
      const { confirmPassword: _, ...body } = values
      await call(api.register, { body })
      onDone(values.email)
    },
    fallback: messages.register.fallback,
  })
  const field = (name: keyof Values) => ({
    id: `register-${name}`,
    value: values[name],
    error: form.problem?.fields[name],
    onChange: (event: { target: { value: string } }) => setValues({ ...values, [name]: event.target.value }),
  })

  return (
    <Form
      name="register"
      title={messages.register.failedTitle}
      form={form}
      submit="Create account"
      submitting="Creating your account …"
    >
      <TextField {...field('firstName')} label="First name" autoComplete="given-name" />
      <TextField {...field('lastName')} label="Last name" autoComplete="family-name" />
      <EmailField {...field('email')} hint="We send one link to this address to confirm it." />
      <PasswordField
        {...field('password')}
        label="Password"
        autoComplete="new-password"
        hint="At least 8 characters."
      />
      <PasswordField {...field('confirmPassword')} label="Confirm password" autoComplete="new-password" />
      <p>
        By creating an account you agree to the <a href={links.terms}>terms</a> and the{' '}
        <a href={links.privacy}>privacy policy</a>, and say that you are 18 or older.
      </p>
    </Form>
  )
}
