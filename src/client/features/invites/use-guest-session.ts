import { useQuery, type QueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '#shared/api.ts'
import { GUEST_NAME } from '#shared/ids.ts'
import type { ContributorSession } from '#shared/invites/invites.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { showFailure } from '#client/lib/toast-store.ts'

const guestKey = (inviteToken: string | null) => ['guest-session', inviteToken] as const

/** Waits for the guest's session if it is being created: a later one's cookie must not be replaced by it. */
export async function guestSessionMade(client: QueryClient, inviteToken: string): Promise<void> {
  const query = client.getQueryCache().find({ queryKey: guestKey(inviteToken) })
  await query?.promise?.catch(() => null)
}

/**
 * Creates a guest session ("Guest Visitor") for a person who opened an invitation, so that the memorial also opens without
 * the link. It is a query, so that it runs once however often the screen renders.
 */
export function useGuestSession({
  needed,
  inviteToken,
  onMade,
}: {
  needed: boolean
  inviteToken: string | null
  onMade: (session: ContributorSession, inviteToken: string) => void
}): void {
  const guest = useQuery({
    queryKey: guestKey(inviteToken),
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
}
