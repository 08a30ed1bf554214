import { useState } from 'react'
import { useParams, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { emailLinkMessages as words } from '#shared/accounts/email-link-messages.ts'
import { EmailLink, EmailLinkSaid } from '#client/features/accounts/email-link.tsx'
import { call } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { useRefreshSession, useSession } from '#client/lib/session.ts'
import { ButtonLink } from '#client/ui/button.tsx'

/** `/undo-email/:token`: gives an account its old address back. */
export default function UndoEmailPage() {
  const { token = '' } = useParams()
  return <UndoByLink key={token} token={token} />
}

function UndoByLink({ token }: { token: string }) {
  const [query] = useSearchParams()
  const [isDone, setDone] = useState(query.has('done'))
  const { user } = useSession()
  const refreshSession = useRefreshSession()
  if (isDone) {
    return (
      <EmailLinkSaid isGood title={words.undoneTitle} text={words.undoneText}>
        <ButtonLink to={links.forgotPassword}>Request New Reset Link</ButtonLink>
      </EmailLinkSaid>
    )
  }
  return (
    <EmailLink
      name="undo-email"
      title={words.undoTitle}
      text={words.undoText}
      button={words.undoButton}
      send={async () => {
        await call(api.undoEmailChange, { body: { token } })
        // It ended every session of the account, possibly this browser's.
        if (user) await refreshSession()
        setDone(true)
      }}
    />
  )
}
