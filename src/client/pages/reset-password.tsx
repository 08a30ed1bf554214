import { useState } from 'react'
import { useParams } from 'react-router-dom'
import { messages } from '#shared/messages.ts'
import styles from '#client/features/accounts/accounts.module.css'
import { ResetPasswordForm } from '#client/features/accounts/reset-password-form.tsx'
import { links } from '#client/lib/links.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

export default function ResetPasswordPage() {
  const { token } = useParams()
  const [isDone, setDone] = useState(false)
  if (!token) {
    return (
      <Page width="narrow">
        <PageTitle>Invalid Reset Link</PageTitle>
        <Notice kind="error">
          <p>{messages.password.invalidToken}</p>
        </Notice>
        <div className={styles['actions']}>
          <ButtonLink look="primary" to={links.forgotPassword}>
            Request New Reset Link
          </ButtonLink>
          <ButtonLink to={links.login}>Back to Login</ButtonLink>
        </div>
      </Page>
    )
  }
  if (isDone) {
    return (
      <Page width="narrow">
        <PageTitle key="done" takesFocus>
          Password Reset Complete
        </PageTitle>
        <Notice kind="success">
          <p>{messages.reset.success}</p>
        </Notice>
        <div className={styles['actions']}>
          <ButtonLink look="primary" to={links.login}>
            Go to Login
          </ButtonLink>
        </div>
      </Page>
    )
  }
  return (
    <Page width="narrow">
      <PageTitle key="form">Set a new password</PageTitle>
      <ResetPasswordForm
        token={token}
        onDone={() => {
          showToast({ title: messages.reset.success })
          setDone(true)
        }}
      />
      <div className={styles['actions']}>
        <ButtonLink to={links.forgotPassword}>Request New Reset Link</ButtonLink>
      </div>
    </Page>
  )
}
