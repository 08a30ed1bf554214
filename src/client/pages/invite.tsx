import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Navigate, useNavigate, useParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { ApiError, errorText, NetworkError } from '#client/lib/call.ts'
import { memorialOfInvite } from '#client/features/invites/contributor-session.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { MemorialSkeleton } from '#client/features/memorials/memorial-skeleton.tsx'

/** `/invite/:token`: redirects to the memorial of the invitation; a link that is no longer valid shows a message at home. */
export default function InvitePage() {
  const { token = '' } = useParams()
  const navigate = useNavigate()
  const invite = useQuery(endpointQuery(api.invite, { params: { token } }))
  // Offline: use the memorial that this invitation opened on this device before.
  const memorialId = invite.error instanceof NetworkError ? memorialOfInvite(token) : null
  const error = memorialId === null ? invite.error : null
  useEffect(() => {
    if (!error) return
    const { title, text } = explain(error)
    showErrorToast(title, text)
    void navigate(links.home, { replace: true })
  }, [error, navigate])
  if (memorialId !== null) return <Navigate to={links.memorial(memorialId)} replace />
  if (!invite.data) return <MemorialSkeleton />
  return (
    <Navigate to={`${links.memorial(invite.data.memorial.id)}?invite=${encodeURIComponent(token)}`} replace />
  )
}

function explain(error: unknown): { title: string; text: string } {
  if (error instanceof ApiError && error.status === 404) {
    return { title: messages.invite.endedTitle, text: messages.invite.endedText }
  }
  if (error instanceof ApiError && error.code === 'memorial_private') {
    return { title: messages.memorial.privateTitle, text: messages.memorial.privateText }
  }
  return { title: messages.contributor.accessErrorTitle, text: errorText(error, messages.invite.endedText) }
}
