import { useState } from 'react'
import { Link } from 'react-router-dom'
import styles from '../features/accounts/accounts.module.css'
import { ForgotPasswordForm } from '#client/features/accounts/forgot-password-form.tsx'
import { LocalMailbox } from '#client/features/accounts/local-mailbox.tsx'
import { links } from '#client/lib/links.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

export default function ForgotPasswordPage() {
  const [sent, setSent] = useState<string | null>(null)
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
      <ul className={styles.links}>
        <li>
          <Link to={links.login}>Back to Login</Link>
        </li>
      </ul>
    </Page>
  )
}
