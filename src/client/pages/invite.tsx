import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useLocation, useParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { memorialOfInvite } from '#client/features/invites/contributor-session.ts'
import { MemorialSkeleton } from '#client/features/memorials/memorial-skeleton.tsx'
import { ApiError, errorText, NetworkError } from '#client/lib/call.ts'
import { failedInviteOf, type FailedInvite } from '#client/lib/failed-invite.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

/** `/invite/:token`: redirects to the memorial of the invitation. If that fails, `/` shows this screen with the reason. */
export default function InvitePage() {
  const { token } = useParams()
  const failed = failedInviteOf(useLocation().state)
  if (token !== undefined) return <OpenInvite token={token} />
  return failed && <InviteFailed {...failed} />
}

function OpenInvite({ token }: { token: string }) {
  const invite = useQuery(endpointQuery(api.invite, { params: { token } }))
  // Offline: use the memorial that this invitation opened on this device before.
  const memorialId = invite.error instanceof NetworkError ? memorialOfInvite(token) : null
  if (memorialId !== null) return <Navigate to={links.memorial(memorialId)} replace />
  if (invite.error) return <Navigate to={links.home} state={explain(token, invite.error)} replace />
  if (!invite.data) return <MemorialSkeleton />
  return (
    <Navigate to={`${links.memorial(invite.data.memorial.id)}?invite=${encodeURIComponent(token)}`} replace />
  )
}

/** Offers a mourner nothing to buy. */
function InviteFailed({ failedInvite, title, text, mayRetry }: FailedInvite) {
  return (
    <Page width="reading">
      <PageTitle takesFocus>{title}</PageTitle>
      <p role="alert">{text}</p>
      {mayRetry && <ButtonLink to={links.invite(failedInvite)}>Try Again</ButtonLink>}
      <p className="tall-links">
        <Link to={links.home}>Go to the start page</Link>
      </p>
    </Page>
  )
}

function explain(failedInvite: string, error: unknown): FailedInvite {
  const { endedTitle, endedText, privateText } = messages.invite
  if (error instanceof ApiError && error.status === 404)
    return { failedInvite, title: endedTitle, text: endedText, mayRetry: false }
  if (error instanceof ApiError && error.code === 'memorial_private')
    return { failedInvite, title: messages.memorial.privateTitle, text: privateText, mayRetry: false }
  const title = messages.contributor.accessErrorTitle
  return { failedInvite, title, text: errorText(error, endedText), mayRetry: true }
}
