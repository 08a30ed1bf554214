import { useCallback, useEffect, useState } from 'react'
import * as z from 'zod/mini'
import { GUEST_NAME } from '#shared/ids.ts'
import type { ContributorSession } from '#shared/invites.ts'
import { reassignMessageDraft } from '#client/lib/offline/message-drafts.ts'
import { reassignPendingMessages, sendPending } from '#client/lib/offline/pending-messages.ts'
import { sendMessage } from '#client/lib/offline/send-message.ts'
import { CONTRIBUTOR_SESSION_PREFIX, readText, textKeys, writeText } from '#client/lib/stored-text.ts'
import { reassignPersisted } from '#client/lib/upload/persisted-uploads.ts'

const authorSchema = z.object({ contributorId: z.string(), displayName: z.string() })
type Author = z.infer<typeof authorSchema>
/** What this device stores about an invitation. The session token is not in it, but in an HttpOnly cookie. */
const storedSchema = z.extend(authorSchema, {
  /** The link that created the session; needed to upgrade a guest's session or to replace an ended one. */
  inviteToken: z.string(),
  /** The server rejects the session. It stays until somebody opens a new invitation, for what was not sent yet. */
  isEnded: z.optional(z.boolean()),
  /** In a guest's session: the ended one before it. */
  former: z.optional(authorSchema),
})
type StoredSession = z.infer<typeof storedSchema>

function sessionKey(memorialId: string): string {
  return `${CONTRIBUTOR_SESSION_PREFIX}${memorialId}`
}

/** The stored session of this memorial, or null if there is none, it is unreadable, or it has ended. */
export function readStoredSession(memorialId: string): StoredSession | null {
  const stored = readSession(memorialId)
  return stored?.isEnded ? null : stored
}

function readSession(memorialId: string): StoredSession | null {
  const text = readText(sessionKey(memorialId))
  if (text === null) return null
  try {
    return storedSchema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

/**
 * Stores a session in place of the old one. What the old contributor had not sent yet goes on under the new session if the
 * name is the same; under another name it is deleted, because another person may have this device now.
 */
export function storeSession(session: ContributorSession, inviteToken: string): StoredSession {
  const { memorialId, contributorId, displayName } = session
  const before = readSession(memorialId)
  const isGuest = isGuestSession(session)
  let former: Author | null = null
  for (const author of [before?.former, before]) {
    if (!author || author.contributorId === contributorId) continue
    if (isGuestSession(author)) reassignUnsent(author, memorialId, contributorId)
    else if (isGuest) former = { contributorId: author.contributorId, displayName: author.displayName }
    else reassignUnsent(author, memorialId, isSameName(author, session) ? contributorId : null)
  }
  const stored = { contributorId, displayName, inviteToken, ...(former && { former }) }
  writeText(sessionKey(memorialId), JSON.stringify(stored))
  return stored
}

/** What was not sent yet stays on this device: the family may have replaced the link, and sends the new one. */
export function endSession(memorialId: string): void {
  const before = readSession(memorialId)
  if (before) writeText(sessionKey(memorialId), JSON.stringify({ ...before, isEnded: true }))
}

/** `heirId` null deletes it. */
function reassignUnsent({ contributorId }: Author, memorialId: string, heirId: string | null): void {
  reassignMessageDraft(contributorId, memorialId, heirId)
  reassignPersisted(contributorId, memorialId, heirId)
  void reassignPendingMessages(contributorId, memorialId, heirId).then((isAny) =>
    isAny && heirId !== null ? sendPending(sendMessage) : null,
  )
}

function isSameName(one: { displayName: string }, other: { displayName: string }): boolean {
  return one.displayName.toLocaleLowerCase() === other.displayName.toLocaleLowerCase()
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
 * is the invitation token of a session that has ended because the server rejected it.
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
    if (memorialId !== null) endSession(memorialId)
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
