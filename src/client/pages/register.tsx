import { Link, Navigate, useLocation, useNavigate } from 'react-router-dom'
import { messages } from '#shared/messages.ts'
import styles from '../features/accounts/accounts.module.css'
import { nextPath } from '#client/features/accounts/next-path.ts'
import { RegisterForm } from '#client/features/accounts/register-form.tsx'
import { links } from '#client/lib/links.ts'
import { useSession } from '#client/lib/session.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { Page, PageTitle } from '#client/ui/page.tsx'
import type { LoginArrival } from './login.tsx'

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
          showToast({ title: messages.register.success })
          void navigate(
            { pathname: links.login, search },
            { state: { email, registered: true } satisfies LoginArrival },
          )
        }}
      />
      <ul className={styles.links}>
        <li>
          <Link to={{ pathname: links.login, search }}>You have an account? Login</Link>
        </li>
      </ul>
    </Page>
  )
}
