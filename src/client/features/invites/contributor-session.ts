import * as z from 'zod/mini'
import { GUEST_NAME, type ContributorSession } from '#shared/invites.ts'
import { CONTRIBUTOR_SESSION_PREFIX } from '#client/lib/device.ts'
import { deletePersistedOf } from '#client/lib/upload/persisted-uploads.ts'
import { forgetMessageDraft } from '#client/lib/offline/message-drafts.ts'
import { readText, removeText, textKeys, writeText } from '#client/lib/stored-text.ts'
import { forgetWaitingOf } from '#client/lib/offline/pending-messages.ts'

/**
 * What this device keeps of one memorial's invitation. The session's token is not among it: that is in a cookie which no
 * script can read.
 */
export type KeptSession = {
  contributorId: string
  displayName: string
  /** The link it was made with: to make a named session of a guest's, or a new one when it has ended. */
  inviteToken: string
}

const keptSchema = z.object({
  contributorId: z.string(),
  displayName: z.string(),
  inviteToken: z.string(),
})

/** Where the session of a memorial is kept. */
export function keyOfSession(memorialId: string): string {
  return `${CONTRIBUTOR_SESSION_PREFIX}${memorialId}`
}

/** The session kept for this memorial, or null. What cannot be read counts as none. */
export function readKeptSession(memorialId: string): KeptSession | null {
  const text = readText(keyOfSession(memorialId))
  if (text === null) return null
  try {
    return keptSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** Keeps a session; the old one of this memorial goes, with the messages that were begun under it. */
export function keepSession(session: ContributorSession, inviteToken: string): KeptSession {
  const { memorialId, contributorId, displayName } = session
  const kept = { contributorId, displayName, inviteToken }
  const before = readKeptSession(memorialId)
  if (before && before.contributorId !== contributorId) forgetWaitingOf(before.contributorId, memorialId)
  forgetSession(memorialId)
  writeText(keyOfSession(memorialId), JSON.stringify(kept))
  return kept
}

/** Forgets the session of this memorial, and the message and the uploads that were begun under it. */
export function forgetSession(memorialId: string): void {
  const before = readKeptSession(memorialId)
  if (before) forgetMessageDraft(before.contributorId, memorialId)
  if (before) deletePersistedOf(before.contributorId, memorialId)
  removeText(keyOfSession(memorialId))
}

/** Which memorial this invitation opened on this device before, or null. */
export function memorialOfInvite(inviteToken: string): string | null {
  const ids = textKeys(CONTRIBUTOR_SESSION_PREFIX).map((key) => key.slice(CONTRIBUTOR_SESSION_PREFIX.length))
  return ids.find((id) => readKeptSession(id)?.inviteToken === inviteToken) ?? null
}

/** True for a session that may look but not add. */
export function isGuestSession(session: Pick<KeptSession, 'displayName'>): boolean {
  return session.displayName === GUEST_NAME
}
