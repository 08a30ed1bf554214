import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import styles from '../features/accounts/accounts.module.css'
import { ApiError, errorText } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

export default function VerifyEmailPage() {
  const { token = '' } = useParams()
  const { data, error } = useQuery(endpointQuery(api.verifyEmail, { params: { token } }))
  if (data) {
    return (
      <Page width="narrow">
        <PageTitle>Email confirmed</PageTitle>
        <Notice kind="success">
          <p>{data.message}</p>
        </Notice>
        <div className={styles.actions}>
          <ButtonLink variant="primary" to={links.login}>
            Sign In Now
          </ButtonLink>
          <ButtonLink to={links.home}>Back to Home</ButtonLink>
        </div>
      </Page>
    )
  }
  if (error) {
    const fallback = error instanceof ApiError ? messages.verify.fallback : messages.verify.network
    return (
      <Page width="narrow">
        <PageTitle>Email not confirmed</PageTitle>
        <Notice kind="error">
          <p>{error instanceof ApiError ? errorText(error, fallback) : fallback}</p>
        </Notice>
        <div className={styles.actions}>
          <ButtonLink variant="primary" to={links.login}>
            Try Signing In
          </ButtonLink>
          <ButtonLink to={links.home}>Back to Home</ButtonLink>
        </div>
      </Page>
    )
  }
  return (
    <Page width="narrow">
      <PageTitle>Confirming your email</PageTitle>
      <p role="status">One moment …</p>
    </Page>
  )
}
