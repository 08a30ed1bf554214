import { useState } from 'react'
import { useParams, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { emailLinkMessages as words } from '#shared/accounts/email-link-messages.ts'
import { EmailLink, EmailLinkSaid } from '#client/features/accounts/email-link.tsx'
import { call } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { useRefreshSession, useSession } from '#client/lib/session.ts'
import { ButtonLink } from '#client/ui/button.tsx'

/** `/confirm-email/:token`: confirms one of the two addresses of a change. */
export default function ConfirmEmailPage() {
  const { token = '' } = useParams()
  return <ConfirmByLink key={token} token={token} />
}

function ConfirmByLink({ token }: { token: string }) {
  const [query] = useSearchParams()
  const posted = query.has('done') ? 'changed' : query.has('sent') ? 'waiting' : null
  const [said, setSaid] = useState<'changed' | 'waiting' | null>(posted)
  const { user } = useSession()
  const refreshSession = useRefreshSession()
  if (said === 'waiting') {
    return <EmailLinkSaid isGood title={words.waitingTitle} text={words.waitingText} />
  }
  if (said === 'changed') {
    return (
      <EmailLinkSaid isGood title={words.changedTitle} text={words.changedText}>
        <ButtonLink variant="primary" to={user ? links.dashboard : links.login}>
          {user ? 'Go to my memorials' : 'Go to Login'}
        </ButtonLink>
      </EmailLinkSaid>
    )
  }
  return (
    <EmailLink
      name="confirm-email"
      title={words.confirmTitle}
      text={words.confirmText}
      button={words.confirmButton}
      send={async () => {
        const { isChanged } = await call(api.confirmEmailChange, { body: { token } })
        if (isChanged && user) await refreshSession()
        setSaid(isChanged ? 'changed' : 'waiting')
      }}
    />
  )
}
