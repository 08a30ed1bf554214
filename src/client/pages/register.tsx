import { Link, Navigate, useNavigate } from 'react-router-dom'
import { messages } from '#shared/messages.ts'
import styles from '#client/features/accounts/accounts.module.css'
import { RegisterForm } from '#client/features/accounts/register-form.tsx'
import { links } from '#client/lib/links.ts'
import { useSession } from '#client/lib/session.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { Page, PageTitle } from '#client/ui/page.tsx'
import type { LoginArrival } from './login.tsx'

export default function RegisterPage() {
  const navigate = useNavigate()
  const { user } = useSession()
  if (user) return <Navigate to={links.dashboard} replace />
  return (
    <Page width="narrow">
      <PageTitle>Create an account</PageTitle>
      <RegisterForm
        onDone={(email) => {
          showToast({ title: messages.register.success })
          void navigate(links.login, { state: { email, registered: true } satisfies LoginArrival })
        }}
      />
      <ul className={styles['links']}>
        <li>
          <Link to={links.login}>You have an account? Login</Link>
        </li>
      </ul>
    </Page>
  )
}
