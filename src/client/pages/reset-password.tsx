import { useState } from 'react'
import { useParams } from 'react-router-dom'
import { messages } from '#shared/messages.ts'
import styles from '../features/accounts/accounts.module.css'
import { ResetPasswordForm } from '#client/features/accounts/reset-password-form.tsx'
import { links } from '#client/lib/links.ts'
import { useRefreshSession, useSession } from '#client/lib/session.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

export default function ResetPasswordPage() {
  const { token } = useParams()
  // Remount for another link.
  return token ? (
    <ResetByLink key={token} token={token} />
  ) : (
    <DeadLink text={messages.password.invalidToken} />
  )
}

function ResetByLink({ token }: { token: string }) {
  const [isDone, setDone] = useState(false)
  const [deadReason, setDeadReason] = useState<string | null>(null)
  const { user } = useSession()
  const refreshSession = useRefreshSession()
  if (deadReason !== null) return <DeadLink title={messages.reset.failedTitle} text={deadReason} />
  if (isDone) {
    return (
      <Page width="narrow">
        <PageTitle key="done" takesFocus>
          Password Reset Complete
        </PageTitle>
        <Notice kind="success">
          <p>{messages.reset.success}</p>
        </Notice>
        <div className={styles.actions}>
          <ButtonLink variant="primary" to={links.login}>
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
        onDone={async () => {
          // The new password ended all sessions of the account, possibly this browser's too.
          if (user) await refreshSession()
          showToast({ title: messages.reset.success })
          setDone(true)
        }}
        onDeadLink={setDeadReason}
      />
      <div className={styles.actions}>
        <ButtonLink to={links.forgotPassword}>Request New Reset Link</ButtonLink>
      </div>
    </Page>
  )
}

/** A link without a token, or one that the server rejects. */
function DeadLink({ title, text }: { title?: string; text: string }) {
  return (
    <Page width="narrow">
      <PageTitle key="dead" takesFocus={title !== undefined}>
        Invalid Reset Link
      </PageTitle>
      <Notice kind="error" {...(title && { title })}>
        <p>{text}</p>
      </Notice>
      <div className={styles.actions}>
        <ButtonLink variant="primary" to={links.forgotPassword}>
          Request New Reset Link
        </ButtonLink>
        <ButtonLink to={links.login}>Back to Login</ButtonLink>
      </div>
    </Page>
  )
}
