import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router-dom'
import { verifyEmailInput } from '#shared/accounts.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { registeredEmail } from '#client/features/accounts/registered-email.ts'
import { TermsNote } from '#client/features/accounts/terms-note.tsx'
import { ApiError, call, errorText } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { checkFilled, checkInput, useForm } from '#client/lib/use-form.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { PasswordField, TextField } from '#client/ui/field.tsx'
import { Form } from '#client/ui/form.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'
import type { LoginArrival } from './login.tsx'
import styles from '../features/accounts/accounts.module.css'

export default function VerifyEmailPage() {
  const { token = '' } = useParams()
  // Remount for another link.
  return <VerifyByLink key={token} token={token} />
}

function VerifyByLink({ token }: { token: string }) {
  const opened = useQuery(endpointQuery(api.openVerificationLink, { params: { token } }))
  /** What the form's press ended with: the server's message, or a link that stopped working meanwhile. */
  const [confirmed, setConfirmed] = useState<string | null>(null)
  const [dead, setDead] = useState<ApiError | null>(null)
  const error = dead ?? opened.error
  const pressed = confirmed !== null || dead !== null
  if (!opened.data && !error) {
    return (
      <Page width="narrow">
        <PageTitle>Confirming your email</PageTitle>
        <p role="status">One moment …</p>
      </Page>
    )
  }
  if (opened.data && 'needsPassword' in opened.data && !pressed) {
    return (
      <Page width="narrow">
        <PageTitle>Confirm your email</PageTitle>
        <p>Your email address is nearly confirmed. Please enter your name and choose a password.</p>
        <p>
          We ask because the account was created on another phone or computer. What was entered there no
          longer counts: the password you choose here does.
        </p>
        <VerifyEmailForm token={token} onDone={setConfirmed} onDeadLink={setDead} />
      </Page>
    )
  }
  const message = confirmed ?? (opened.data && 'message' in opened.data && !dead ? opened.data.message : null)
  const isConfirmed = message !== null
  const email = isConfirmed ? registeredEmail() : null
  const problem =
    error instanceof ApiError ? errorText(error, messages.verify.fallback) : messages.verify.network
  return (
    <Page width="narrow">
      <PageTitle key="done" takesFocus={pressed}>
        {isConfirmed ? 'Email confirmed' : messages.verify.failedTitle}
      </PageTitle>
      <Notice kind={isConfirmed ? 'success' : 'error'}>
        <p>{message ?? problem}</p>
        {error instanceof ApiError && error.status === 410 && <p>{messages.verify.newerMail}</p>}
      </Notice>
      <div className={styles.actions}>
        <ButtonLink
          variant="primary"
          to={links.login}
          state={email === null ? null : ({ email } satisfies LoginArrival)}
        >
          {isConfirmed ? 'Sign In Now' : 'Try Signing In'}
        </ButtonLink>
        <ButtonLink to={links.home}>Back to Home</ButtonLink>
      </div>
    </Page>
  )
}

/** Name and password of the person with the mail. `onDone` gets the server's message, `onDeadLink` why the link is dead. */
function VerifyEmailForm({
  token,
  onDone,
  onDeadLink,
}: {
  token: string
  onDone: (message: string) => void
  onDeadLink: (error: ApiError) => void
}) {
  const { form, field } = useForm({
    name: 'verify',
    initial: { firstName: '', lastName: '', password: '' },
    check: ({ firstName, lastName, password }) =>
      checkFilled({ firstName: firstName.trim(), lastName: lastName.trim(), password }) ??
      checkInput(verifyEmailInput, { token, firstName, lastName, password }),
    async send(values) {
      try {
        const { message } = await call(api.verifyEmail, { body: { token, ...values } })
        onDone(message)
      } catch (error) {
        if (error instanceof ApiError && error.status === 410) onDeadLink(error)
        throw error
      }
    },
    fallback: messages.verify.fallback,
  })
  return (
    <Form title={messages.verify.failedTitle} form={form} submit="Confirm my email" submitting="Confirming …">
      <TextField {...field('firstName')} label="First name" autoComplete="given-name" />
      <TextField {...field('lastName')} label="Last name" autoComplete="family-name" />
      <PasswordField
        {...field('password')}
        label="Password"
        autoComplete="new-password"
        hint="At least 8 characters."
      />
      <TermsNote />
    </Form>
  )
}
