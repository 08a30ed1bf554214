import { NO_SESSION } from '#shared/pages.ts'
import { cameWithoutSession, isReloaded } from '#client/lib/came-without-session.ts'

/**
 * Gives way to the app where somebody has signed in since this page came: Back brings it out of the browser's own keeping,
 * and what it says was true before.
 */
export function leaveWhenSignedIn(): void {
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void look()
  })
  // Asked anew once at the most.
  if (!cameWithoutSession() && !isReloaded()) void look()
}

async function look(): Promise<void> {
  try {
    const answer = await fetch(window.location.pathname, { method: 'HEAD', cache: 'no-store' })
    const isNobody = answer.headers.get('Server-Timing')?.includes(NO_SESSION) ?? false
    if (answer.ok && !isNobody) window.location.reload()
  } catch {
    // Without a connection it is read as it was kept.
  }
}
