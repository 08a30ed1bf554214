import { useState } from 'react'
import { Link, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { LocalMailbox } from '#client/features/accounts/local-mailbox.tsx'
import { call } from '#client/lib/call.ts'
import { checkForgot } from '#client/features/accounts/form-checks.ts'
import { links } from '#client/lib/links.ts'
import { useForm } from '#client/lib/use-form.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { EmailField } from '#client/ui/forms/field.tsx'
import { Form } from '#client/ui/forms/form.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'
import styles from '../../features/accounts/accounts.module.css'

export default function ForgotPasswordPage() {
  const [search] = useSearchParams()
  const [sent, setSent] = useState<string | null>(search.has('sent') ? messages.forgot.sent : null)
  if (sent !== null) {
    return (
      <Page width="narrow">
        <PageTitle key="sent" takesFocus>
          Check Your Email
        </PageTitle>
        <Notice kind="success">
          <p>{sent}</p>
          <LocalMailbox />
        </Notice>
        <p>The link works for one hour.</p>
        <div className={styles.actions}>
          <ButtonLink variant="primary" to={links.login}>
            Back to Login
          </ButtonLink>
        </div>
      </Page>
    )
  }
  return (
    <Page width="narrow">
      <PageTitle key="form">Forgot your password?</PageTitle>
      <p>Enter the address of your account. We will send you a link to set a new password.</p>
      <ForgotPasswordForm onDone={setSent} />
      <ul className={`tall-links ${styles.links}`}>
        <li>
          <Link to={links.login}>Back to Login</Link>
        </li>
      </ul>
    </Page>
  )
}

/** Requests a reset link; `onDone` gets the server's message. */
function ForgotPasswordForm({ onDone }: { onDone: (message: string) => void }) {
  const { form, field } = useForm({
    name: 'forgot',
    initial: { email: '' },
    check: checkForgot,
    async send(body) {
      const { message } = await call(api.forgotPassword, { body })
      onDone(message)
    },
    fallback: messages.forgot.fallback,
  })
  return (
    <Form title={messages.forgot.failedTitle} form={form} submit="Send reset link" submitting="Sending …">
      <EmailField {...field('email')} />
    </Form>
  )
}
