import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { ERROR_STATUS } from '#shared/errors.ts'
import { messages } from '#shared/messages.ts'
import { registeredEmail } from '#client/features/accounts/registered-email.ts'
import { TermsNote } from '#client/features/accounts/terms-note.tsx'
import { ApiError, call, errorText } from '#client/lib/call.ts'
import { checkVerify } from '#client/features/accounts/form-checks.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { isLinkOver, usePostedForm, useWithoutScript } from '#client/lib/server-rendering.ts'
import { useForm } from '#client/lib/use-form.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { PasswordField, TextField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'
import type { LoginArrival } from './login.tsx'
import styles from '../../features/accounts/accounts.module.css'

export default function VerifyEmailPage() {
  const { token = '' } = useParams()
  // Remount for another link.
  return <VerifyByLink key={token} token={token} />
}

function VerifyByLink({ token }: { token: string }) {
  const [search] = useSearchParams()
  const isWithoutScript = useWithoutScript()
  const refused = useRefusedLink()
  // Without script, the forms below have asked already.
  const isAnswered = search.has('done') || search.has('password') || refused !== null
  const opened = useQuery({
    ...endpointQuery(api.openVerificationLink, { params: { token } }),
    enabled: !isAnswered,
  })
  /** What the form's press ended with: the server's message, or a link that stopped working meanwhile. */
  const [confirmed, setConfirmed] = useState<string | null>(
    search.has('done') ? messages.verify.success : null,
  )
  const [dead, setDead] = useState<ApiError | null>(refused)
  const error = dead ?? opened.error
  const pressed = confirmed !== null || dead !== null
  if (!opened.data && !error && !isAnswered) {
    const open = <OpenLink />
    return (
      <Page width="narrow">
        <PageTitle>Confirming your email</PageTitle>
        {isWithoutScript ? (
          open
        ) : (
          <>
            <p role="status" className={styles.withScript}>
              One moment …
            </p>
            <div className={styles.late}>{open}</div>
          </>
        )}
      </Page>
    )
  }
  const needsPassword = search.has('password') || (opened.data && 'needsPassword' in opened.data)
  if (needsPassword && !pressed) {
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

/** Without script, nothing opens the link before the person does: a program that only looks at it changes nothing. */
function OpenLink() {
  return (
    <form method="post">
      <input type="hidden" name="form" value="open" />
      <p>Please press the button to confirm your email address.</p>
      <Button type="submit" variant="primary" wide>
        Confirm my email
      </Button>
    </form>
  )
}

/** Why the link that was opened without script no longer works; null if it does. */
function useRefusedLink(): ApiError | null {
  const opened = usePostedForm('open')
  const confirmed = usePostedForm('verify')
  const refused = opened ?? (confirmed && isLinkOver(confirmed) ? confirmed : null)
  if (!refused) return null
  const body = JSON.stringify({ message: refused.problem.text, code: refused.code })
  return new ApiError(ERROR_STATUS[refused.code], body, '')
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
    check: checkVerify(token),
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
