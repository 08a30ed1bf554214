import { useCallback, useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { GUEST_NAME } from '#shared/ids.ts'
import type { ContributorSession } from '#shared/invites.ts'
import { deleteMessageDraft } from '#client/lib/offline/message-drafts.ts'
import { deletePendingMessagesOf } from '#client/lib/offline/pending-messages.ts'
import {
  CONTRIBUTOR_SESSION_PREFIX,
  readText,
  removeText,
  textKeys,
  writeText,
} from '#client/lib/stored-text.ts'
import { deletePersistedOf } from '#client/lib/upload/persisted-uploads.ts'

/** What this device stores about an invitation. The session token is not in it, but in an HttpOnly cookie. */
const storedSchema = z.object({
  contributorId: z.string(),
  displayName: z.string(),
  /** The link that created the session; needed to upgrade a guest's session or to replace an ended one. */
  inviteToken: z.string(),
})
type StoredSession = z.infer<typeof storedSchema>

function sessionKey(memorialId: string): string {
  return `${CONTRIBUTOR_SESSION_PREFIX}${memorialId}`
}

/** The stored session of this memorial, or null if there is none or it is unreadable. */
export function readStoredSession(memorialId: string): StoredSession | null {
  const text = readText(sessionKey(memorialId))
  if (text === null) return null
  try {
    return storedSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/** Stores a session in place of the old one; another contributor's pending messages for this memorial are deleted. */
export function storeSession(session: ContributorSession, inviteToken: string): StoredSession {
  const { memorialId, contributorId, displayName } = session
  const stored = { contributorId, displayName, inviteToken }
  const before = readStoredSession(memorialId)
  if (before && before.contributorId !== contributorId)
    deletePendingMessagesOf(before.contributorId, memorialId)
  deleteSession(memorialId)
  writeText(sessionKey(memorialId), JSON.stringify(stored))
  return stored
}

/** Deletes the session of this memorial, with the message draft and the uploads made under it. */
export function deleteSession(memorialId: string): void {
  const before = readStoredSession(memorialId)
  if (before) deleteMessageDraft(before.contributorId, memorialId)
  if (before) deletePersistedOf(before.contributorId, memorialId)
  removeText(sessionKey(memorialId))
}

/** Id of the memorial that this invitation opened on this device before, or null. */
export function memorialOfInvite(inviteToken: string): string | null {
  const ids = textKeys(CONTRIBUTOR_SESSION_PREFIX).map((key) => key.slice(CONTRIBUTOR_SESSION_PREFIX.length))
  return ids.find((id) => readStoredSession(id)?.inviteToken === inviteToken) ?? null
}

/** Whether the session belongs to a guest, who may look but not add. */
export function isGuestSession(session: Pick<StoredSession, 'displayName'>): boolean {
  return session.displayName === GUEST_NAME
}

/**
 * The stored contributor session of a memorial, as state. `memorialId` is null while the memorial is unknown. `endedInvite`
 * is the invitation token of a session that was deleted because the server rejected it.
 */
export function useStoredSession(memorialId: string | null) {
  const read = (id: string | null) => ({
    id,
    session: id === null ? null : readStoredSession(id),
    endedInvite: null as string | null,
  })
  const [stored, setStored] = useState(() => read(memorialId))
  if (stored.id !== memorialId) setStored(read(memorialId))
  const { session, endedInvite } = stored.id === memorialId ? stored : read(null)

  const store = useCallback((made: ContributorSession, inviteToken: string) => {
    setStored({ id: made.memorialId, session: storeSession(made, inviteToken), endedInvite: null })
  }, [])
  const remove = useCallback(() => {
    if (memorialId !== null) deleteSession(memorialId)
    setStored((before) => ({
      id: memorialId,
      session: null,
      endedInvite: before.session?.inviteToken ?? before.endedInvite,
    }))
  }, [memorialId])
  // Another tab changed the name or signed out: both tabs share the cookie.
  useEffect(() => {
    if (memorialId === null) return undefined
    const follow = ({ key }: StorageEvent) => {
      if (key === null || key === sessionKey(memorialId))
        setStored((before) => ({ ...before, session: readStoredSession(memorialId) }))
    }
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  }, [memorialId])
  return { session, endedInvite, store, remove }
}
