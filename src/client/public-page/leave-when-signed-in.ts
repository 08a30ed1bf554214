import { NO_SESSION } from '#shared/pages.ts'
import { cameWithoutSession, isReloaded } from '#client/lib/came-without-session.ts'

/**
 * Reloads the page, and so opens the app, if the user has signed in since it was loaded: Back may restore it from the
 * browser's cache.
 */
export function leaveWhenSignedIn(): void {
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void look()
  })
  // Not after a reload, so that this can't loop.
  if (!cameWithoutSession() && !isReloaded()) void look()
}

async function look(): Promise<void> {
  try {
    const answer = await fetch(window.location.pathname, { method: 'HEAD', cache: 'no-store' })
    const isNobody = answer.headers.get('Server-Timing')?.includes(NO_SESSION) ?? false
    if (answer.ok && !isNobody) window.location.reload()
  } catch {
    // Offline, the cached page stays as it is.
  }
}
