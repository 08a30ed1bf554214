import { useState } from 'react'
import { registerInput } from '#shared/accounts.ts'
import { api } from '#shared/api.ts'
import { AGE_MIN } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { useForm } from '#client/lib/use-form.ts'
import { EmailField, PasswordField, TextField } from '#client/ui/field.tsx'
import { Form } from '#client/ui/form.tsx'
import { checkNewPassword } from './new-password.ts'

const EMPTY = { firstName: '', lastName: '', email: '', password: '', confirmPassword: '' }
type Values = typeof EMPTY

/** The five registration fields. `onDone` gets the email address, to prefill the login form. */
export function RegisterForm({ onDone }: { onDone: (email: string) => void }) {
  const [values, setValues] = useState(EMPTY)
  const form = useForm({
    check: () => checkNewPassword(registerInput, values, 'password'),
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
        By creating an account you agree to the <NewTabLink to={links.terms}>terms</NewTabLink> and the{' '}
        <NewTabLink to={links.privacy}>privacy policy</NewTabLink>, and say that you are {AGE_MIN} or older.
      </p>
    </Form>
  )
}

/** Opens in a new tab, so that the form keeps its values. */
function NewTabLink({ to, children }: { to: string; children: string }) {
  return (
    <a href={to} target="_blank" rel="noopener">
      {children}
      <span className="visually-hidden"> (opens in a new tab)</span>
    </a>
  )
}
