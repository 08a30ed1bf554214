import { NO_SESSION } from '#shared/pages.ts'
import { cameWithoutSession, isReloaded } from '#client/lib/came-without-session.ts'

/**
 * Reloads the page, and so opens the app, if the user has signed in since it was loaded: Back may restore it from the
 * browser's cache.
 */
export function reloadWhenSignedIn(): void {
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) void checkSession()
  })
  // Not after a reload, so that this can't loop.
  if (!cameWithoutSession() && !isReloaded()) void checkSession()
}

async function checkSession(): Promise<void> {
  try {
    const answer = await fetch(window.location.pathname, { method: 'HEAD', cache: 'no-store' })
    const hasNoSession = answer.headers.get('Server-Timing')?.includes(NO_SESSION) ?? false
    if (answer.ok && !hasNoSession) window.location.reload()
  } catch {
    // Offline, the cached page stays as it is.
  }
}
