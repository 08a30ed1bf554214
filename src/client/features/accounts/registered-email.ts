import { REGISTERED_EMAIL } from '#client/lib/browser/device.ts'
import { VERIFY_TOKEN_EXPIRES_MS } from '#shared/limits.ts'
import { readText, removeText, writeText } from '#client/lib/browser/stored-text.ts'

/**
 * The address that was registered in this browser, for the login form after the link in the mail was opened. It is not in
 * the link and not in the server's answer, so the link alone tells nobody whose it is; and it is not in the session storage,
 * because a mail app opens the link in a new tab. It is forgotten with the link, at sign-in and at sign-out.
 */
export function rememberRegisteredEmail(email: string, now = Date.now()): void {
  writeText(REGISTERED_EMAIL, JSON.stringify({ email, until: now + VERIFY_TOKEN_EXPIRES_MS }))
}

/** The address, or null if nobody registered here within the life of the link. */
export function registeredEmail(now = Date.now()): string | null {
  try {
    const stored = JSON.parse(readText(REGISTERED_EMAIL) ?? 'null') as {
      email?: unknown
      until?: unknown
    } | null
    if (typeof stored?.email === 'string' && Number(stored.until) > now) return stored.email
  } catch {
    // Not ours: deleted below.
  }
  forgetRegisteredEmail()
  return null
}

export function forgetRegisteredEmail(): void {
  removeText(REGISTERED_EMAIL)
}
