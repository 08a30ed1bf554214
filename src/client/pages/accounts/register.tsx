import { Link, Navigate, useLocation, useNavigate } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { nextPath } from '#client/features/accounts/next-path.ts'
import { TermsNote } from '#client/features/accounts/terms-note.tsx'
import { rememberRegisteredEmail } from '#client/features/accounts/registered-email.ts'
import { call } from '#client/lib/call.ts'
import { checkRegister } from '#client/features/accounts/form-checks.ts'
import { links } from '#client/lib/links.ts'
import { useSession } from '#client/lib/session.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { useForm } from '#client/lib/use-form.ts'
import { EmailField, PasswordField, TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'
import type { LoginArrival } from './login.tsx'
import styles from '../../features/accounts/accounts.module.css'

export default function RegisterPage() {
  const navigate = useNavigate()
  const { search } = useLocation()
  const { user } = useSession()
  if (user) return <Navigate to={nextPath(search)} replace />
  return (
    <Page width="narrow">
      <PageTitle>Create an account</PageTitle>
      <RegisterForm
        onDone={(email) => {
          rememberRegisteredEmail(email)
          showToast({ title: messages.register.success })
          void navigate(
            { pathname: links.login, search },
            { state: { email, registered: true } satisfies LoginArrival },
          )
        }}
      />
      <ul className={`tall-links ${styles.links}`}>
        <li>
          <Link to={{ pathname: links.login, search }}>Already have an account? Login</Link>
        </li>
      </ul>
    </Page>
  )
}

/** The five registration fields. `onDone` gets the email address, to prefill the login form. */
function RegisterForm({ onDone }: { onDone: (email: string) => void }) {
  const { form, field } = useForm({
    name: 'register',
    initial: { firstName: '', lastName: '', email: '', password: '', confirmPassword: '' },
    check: checkRegister,
    async send({ email, password, firstName, lastName }) {
      await call(api.register, { body: { email, password, firstName, lastName } })
      onDone(email)
    },
    fallback: messages.register.fallback,
  })
  return (
    <Form
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
      <TermsNote />
    </Form>
  )
}
