import { GUEST_NAME } from '#shared/ids.ts'
import type { ContributorSession } from '#shared/invites/invites.ts'
import { LINK_DROPPED } from '#client/lib/offline/cache-names.ts'
import { CONTRIBUTOR_SESSION_PREFIX, writeText } from '#client/lib/browser/stored-text.ts'

/**
 * Makes a guest's session as `useGuestSession` does, before the app is here, and takes the link out of the address. Null if it
 * fails: the app tries again, and says so.
 */
export async function makeGuestSession(
  inviteToken: string,
): Promise<Omit<ContributorSession, 'authToken'> | null> {
  try {
    const answer = await fetch(`/api/invite/${encodeURIComponent(inviteToken)}/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ displayName: GUEST_NAME, email: '' }),
    })
    if (!answer.ok) return null
    const { memorialId, contributorId, displayName, address, quotas } =
      (await answer.json()) as ContributorSession
    writeText(
      CONTRIBUTOR_SESSION_PREFIX + memorialId,
      JSON.stringify({ contributorId, displayName, inviteToken }),
    )
    dropLink()
    return { memorialId, contributorId, displayName, address, quotas }
  } catch {
    return null
  }
}

/** Takes the invitation out of the address and the page's links, where it could be copied. */
export function dropLink(): void {
  window.history.replaceState(window.history.state, '', withoutLink(window.location.href))
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href*="invite="]'))
    link.href = withoutLink(link.href)
  window.dispatchEvent(new Event(LINK_DROPPED))
}

function withoutLink(href: string): string {
  const address = new URL(href)
  address.searchParams.delete('invite')
  return address.href
}
