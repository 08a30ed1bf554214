import { Link, Navigate, useLocation } from 'react-router-dom'
import { messages } from '#shared/messages.ts'
import { LoginForm } from '#client/features/accounts/login-form.tsx'
import { nextPath } from '#client/features/accounts/next-path.ts'
import styles from '#client/features/accounts/accounts.module.css'
import { LocalMailbox } from '#client/features/accounts/local-mailbox.tsx'
import { links } from '#client/lib/links.ts'
import { useRefreshSession, useSession } from '#client/lib/session.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

/** What the register screen hands over. */
export type LoginArrival = { email: string; registered: true }

export default function LoginPage() {
  const { search, state } = useLocation()
  const arrival = state as LoginArrival | null
  const refreshSession = useRefreshSession()
  const { user } = useSession()
  // Just now, or before: nobody signs in twice.
  if (user) return <Navigate to={nextPath(search)} replace />
  return (
    <Page width="narrow">
      <PageTitle>Login</PageTitle>
      {arrival?.registered && (
        <Notice kind="success">
          <p>{messages.register.success}</p>
          <LocalMailbox />
        </Notice>
      )}
      <LoginForm
        initialEmail={arrival?.email ?? ''}
        onDone={async () => {
          await refreshSession()
          showToast({ title: messages.login.success })
        }}
      />
      <ul className={styles['links']}>
        <li>
          <Link to={links.forgotPassword}>Forgot your password?</Link>
        </li>
        <li>
          <Link to={{ pathname: links.register, search }}>Create an account</Link>
        </li>
        <li>
          <Link to={links.home}>Back to Home</Link>
        </li>
      </ul>
    </Page>
  )
}
