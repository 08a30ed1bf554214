import { useEffect, useState } from 'react'
import { Link, Navigate, useLocation, useNavigate } from 'react-router-dom'
import { messages } from '#shared/messages.ts'
import { LoginForm } from '#client/features/accounts/login-form.tsx'
import { nextPath } from '#client/features/accounts/next-path.ts'
import styles from '../features/accounts/accounts.module.css'
import { LocalMailbox } from '#client/features/accounts/local-mailbox.tsx'
import { formatDate } from '#client/lib/dates.ts'
import { deleteUserData } from '#client/lib/device.ts'
import { links } from '#client/lib/links.ts'
import { useClearSession, useRefreshSession, useSession } from '#client/lib/session.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

/** Navigation state from the previous screen: the user has just registered, or deleted their account. */
export type LoginArrival = { email: string; registered: true } | { deletedUntil: string }

export default function LoginPage() {
  const navigate = useNavigate()
  const { search, state } = useLocation()
  const [arrival] = useState(state as LoginArrival | null)
  const deletedUntil = arrival && 'deletedUntil' in arrival ? arrival.deletedUntil : null
  const forgetSession = useClearSession()
  useEffect(() => {
    if (deletedUntil === null) return
    deleteUserData()
    forgetSession()
    // Show the message once: after going back or reloading this is an ordinary login.
    void navigate(links.login, { replace: true, state: null })
  }, [deletedUntil, forgetSession, navigate])
  const refreshSession = useRefreshSession()
  const { user } = useSession()
  // Signed in just now, or before: skip the form.
  if (user && deletedUntil === null) return <Navigate to={nextPath(search)} replace />
  return (
    <Page width="narrow">
      <PageTitle>Login</PageTitle>
      {arrival && 'registered' in arrival && (
        <Notice kind="success">
          <p>{messages.register.success}</p>
          <LocalMailbox />
        </Notice>
      )}
      {deletedUntil !== null && (
        <Notice title={messages.account.deleted}>
          <p>
            We have sent you a mail about it. If you change your mind, sign in here before{' '}
            {formatDate(deletedUntil)}: everything then comes back as it was. After that it is gone for good.
          </p>
        </Notice>
      )}
      <LoginForm
        initialEmail={arrival && 'registered' in arrival ? arrival.email : ''}
        onDone={async (message) => {
          await refreshSession()
          showToast({ title: message })
          if (deletedUntil !== null) void navigate(links.dashboard)
        }}
      />
      <ul className={styles.links}>
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
