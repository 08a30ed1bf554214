import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { registeredEmail } from '#client/features/accounts/registered-email.ts'
import { ApiError, errorText } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'
import type { LoginArrival } from './login.tsx'
import styles from '../features/accounts/accounts.module.css'

export default function VerifyEmailPage() {
  const { token = '' } = useParams()
  const { data, error } = useQuery(endpointQuery(api.verifyEmail, { params: { token } }))
  if (!data && !error) {
    return (
      <Page width="narrow">
        <PageTitle>Confirming your email</PageTitle>
        <p role="status">One moment …</p>
      </Page>
    )
  }
  const email = data ? registeredEmail() : null
  const problem =
    error instanceof ApiError ? errorText(error, messages.verify.fallback) : messages.verify.network
  return (
    <Page width="narrow">
      <PageTitle>{data ? 'Email confirmed' : 'Email not confirmed'}</PageTitle>
      <Notice kind={data ? 'success' : 'error'}>
        <p>{data ? data.message : problem}</p>
      </Notice>
      <div className={styles.actions}>
        <ButtonLink
          variant="primary"
          to={links.login}
          state={email === null ? null : ({ email } satisfies LoginArrival)}
        >
          {data ? 'Sign In Now' : 'Try Signing In'}
        </ButtonLink>
        <ButtonLink to={links.home}>Back to Home</ButtonLink>
      </div>
    </Page>
  )
}
