import * as z from 'zod/mini'
import { GUEST_NAME, type ContributorSession } from '#shared/invites.ts'
import type { IdentityHeaders } from '#client/lib/contributor.ts'
import { readText, removeText, writeText } from '#client/lib/stored-text.ts'

/** What this device keeps of one memorial's invitation: the session, and the link it was made with. */
export type KeptSession = {
  contributorId: string
  displayName: string
  authToken: string
  /** To make a named session of a guest's, or a new one when it has ended. */
  inviteToken: string
}

const keptSchema = z.object({
  contributorId: z.string(),
  displayName: z.string(),
  authToken: z.string(),
  inviteToken: z.string(),
})

function keyOf(memorialId: string): string {
  return `contributor-session:${memorialId}`
}

/** The session kept for this memorial, or null. What cannot be read counts as none. */
export function readKeptSession(memorialId: string): KeptSession | null {
  const text = readText(keyOf(memorialId))
  if (text === null) return null
  try {
    return keptSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** Keeps a session; the old one of this memorial goes. */
export function keepSession(session: ContributorSession, inviteToken: string): KeptSession {
  const { memorialId, contributorId, displayName, authToken } = session
  const kept = { contributorId, displayName, authToken, inviteToken }
  writeText(keyOf(memorialId), JSON.stringify(kept))
  return kept
}

/** Forgets the session of this memorial. */
export function forgetSession(memorialId: string): void {
  removeText(keyOf(memorialId))
}

/** True for a session that may look but not add. */
export function isGuestSession(session: Pick<KeptSession, 'displayName'>): boolean {
  return session.displayName === GUEST_NAME
}

/** The header that carries a session's token. */
export function identityHeaders(session: KeptSession | null): IdentityHeaders {
  return session ? { 'X-Contributor-Token': session.authToken } : {}
}

/** The headers for this memorial as of now, whatever a screen remembers. */
export function keptHeaders(memorialId: string): IdentityHeaders {
  return identityHeaders(readKeptSession(memorialId))
}
