import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '#shared/api.ts'
import { GUEST_NAME } from '#shared/ids.ts'
import type { ContributorSession } from '#shared/invites.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { showFailure } from '#client/lib/toast-store.ts'

/**
 * Creates a guest session ("Guest Visitor") for a person who opened an invitation, so that images load. It is a query, so
 * that it runs once however often the screen renders. Returns true while it is running.
 */
export function useGuestSession({
  needed,
  inviteToken,
  onMade,
}: {
  needed: boolean
  inviteToken: string | null
  onMade: (session: ContributorSession, inviteToken: string) => void
}): boolean {
  const guest = useQuery({
    queryKey: ['guest-session', inviteToken],
    enabled: needed && inviteToken !== null,
    gcTime: 0,
    queryFn: () =>
      call(api.createContributorSession, {
        params: { token: inviteToken ?? '' },
        body: { displayName: GUEST_NAME, email: '' },
      }),
  })
  const { data, error } = guest
  useEffect(() => {
    if (needed && data && inviteToken !== null) onMade(data, inviteToken)
  }, [needed, data, inviteToken, onMade])
  useEffect(() => {
    if (needed && error) {
      showFailure(messages.contributor.accessErrorTitle, error, messages.invite.invalid)
    }
  }, [needed, error])
  return needed && inviteToken !== null && !guest.isError
}
