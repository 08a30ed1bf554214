import { useQuery } from '@tanstack/react-query'
import { Navigate, useLocation, useMatch, useParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages/pages.ts'
import { memorialOfInvite } from '#client/features/invites/contributor-session.ts'
import { InvitePin } from '#client/features/invites/invite-pin.tsx'
import { explainFailedInvite, InviteFailed } from '#client/features/invites/invite-failed.tsx'
import { MemorialSkeleton } from '#client/features/memorials/page/memorial-skeleton.tsx'
import { ApiError, NetworkError } from '#client/lib/call.ts'
import { failedInviteOf } from '#client/lib/failed-invite.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'

/** `/invite/:token`: redirects to the memorial of the invitation, or to where it asks for its PIN. If that fails, `/` shows this screen with the reason. */
export default function InvitePage() {
  const { token } = useParams()
  const asksForPin = useMatch(paths.invitePin) !== null
  const failed = failedInviteOf(useLocation().state)
  if (asksForPin) return <InvitePin />
  if (token !== undefined) return <OpenInvite token={token} />
  return failed && <InviteFailed {...failed} />
}

function OpenInvite({ token }: { token: string }) {
  const invite = useQuery(endpointQuery(api.invite, { params: { token } }))
  // Offline: use the memorial that this invitation opened on this device before.
  const memorialId = invite.error instanceof NetworkError ? memorialOfInvite(token) : null
  if (memorialId !== null) return <Navigate to={links.memorial(memorialId)} replace />
  if (invite.error instanceof ApiError && invite.error.code === 'pin_needed')
    return <Navigate to={fillPath(paths.invitePin, { token })} replace />
  if (invite.error)
    return <Navigate to={links.home} state={explainFailedInvite(token, invite.error)} replace />
  if (!invite.data) return <MemorialSkeleton />
  return (
    <Navigate to={`${links.memorial(invite.data.memorial.id)}?invite=${encodeURIComponent(token)}`} replace />
  )
}
