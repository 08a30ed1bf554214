import { createContext, useCallback, useContext, useEffect, useState } from 'react'
import { GUEST_NAME } from '#shared/ids.ts'
import type { ContributorSession } from '#shared/invites/invites.ts'
import { deleteMessageDraft } from '#client/lib/offline/message-drafts.ts'
import { reassignPendingMessages, sendPending } from '#client/lib/offline/pending-messages.ts'
import { sendMessage } from '#client/lib/offline/send-message.ts'
import {
  CONTRIBUTOR_SESSION_PREFIX,
  FORMER_CONTRIBUTOR_PREFIX,
  readText,
  removeText,
  textKeys,
  writeText,
} from '#client/lib/browser/stored-text.ts'
import { reassignPersisted } from '#client/lib/upload/persisted-uploads.ts'

type Author = { contributorId: string; displayName: string }
/** What this device stores about an invitation. The session token is not in it, but in an HttpOnly cookie. */
type StoredSession = Author & {
  /** The link that created the session; needed to upgrade a guest's session or to replace an ended one. */
  inviteToken: string
}
const AUTHOR = ['contributorId', 'displayName'] as const
const STORED_SESSION = [...AUTHOR, 'inviteToken'] as const

/** While the server renders: the session by this browser's cookie, which its storage usually has, too. */
export const SessionOfCookieContext = createContext<StoredSession | null>(null)

const sessionKey = (memorialId: string) => `${CONTRIBUTOR_SESSION_PREFIX}${memorialId}`
const formerKey = (memorialId: string) => `${FORMER_CONTRIBUTOR_PREFIX}${memorialId}`

/** The stored session of this memorial, or null if there is none or it is unreadable. */
export function readStoredSession(memorialId: string): StoredSession | null {
  return read(sessionKey(memorialId), STORED_SESSION)
}

/** Whose session of this memorial has ended, so that what they had not sent waits for a new one; null if nobody's. */
export function readFormer(memorialId: string): Author | null {
  return read(formerKey(memorialId), AUTHOR)
}

/** The stored texts of these names, or null unless each is there. */
function read<Name extends string>(key: string, names: readonly Name[]): Record<Name, string> | null {
  const text = readText(key)
  if (text === null) return null
  try {
    const stored = JSON.parse(text) as Partial<Record<string, unknown>> | null
    const found = names.map((name) => [name, stored?.[name]] as const)
    if (found.some(([, value]) => typeof value !== 'string')) return null
    return Object.fromEntries(found) as Record<Name, string>
  } catch {
    return null
  }
}

/**
 * Stores a session in place of the old one. Another contributor's unsent files and messages for this memorial are deleted; those
 * of an ended session go on if the name is the same.
 */
export function storeSession(
  session: Pick<ContributorSession, 'memorialId' | 'contributorId' | 'displayName'>,
  inviteToken: string,
): StoredSession {
  const { memorialId, contributorId, displayName } = session
  const stored = { contributorId, displayName, inviteToken }
  const before = readStoredSession(memorialId)
  if (before) {
    deleteMessageDraft(before.contributorId, memorialId)
    reassignPersisted(before.contributorId, memorialId, null)
    if (before.contributorId !== contributorId)
      void reassignPendingMessages(before.contributorId, memorialId, null)
  }
  const former = readFormer(memorialId)
  if (former && !isGuestSession(session)) {
    const heirId = isSameName(former, session) ? contributorId : null
    reassignPersisted(former.contributorId, memorialId, heirId)
    void reassignPendingMessages(former.contributorId, memorialId, heirId).then((isAny) =>
      isAny && heirId !== null ? sendPending(sendMessage) : null,
    )
    removeText(formerKey(memorialId))
  }
  writeText(sessionKey(memorialId), JSON.stringify(stored))
  return stored
}

/**
 * The server has ended this memorial's session: removes it and its draft. Files and messages on their way stay, because the
 * family may have replaced the link and sends the new one.
 */
export function endSession(memorialId: string): void {
  const before = readStoredSession(memorialId)
  if (!before) return
  const { contributorId, displayName } = before
  deleteMessageDraft(contributorId, memorialId)
  if (!isGuestSession(before))
    writeText(formerKey(memorialId), JSON.stringify({ contributorId, displayName }))
  removeText(sessionKey(memorialId))
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
  const ofCookie = useContext(SessionOfCookieContext)
  const readAll = (id: string | null) => ({
    id,
    session: id === null ? null : (ofCookie ?? readStoredSession(id)),
    former: id === null ? null : readFormer(id),
    endedInvite: null as string | null,
  })
  const [stored, setStored] = useState(() => readAll(memorialId))
  if (stored.id !== memorialId) setStored(readAll(memorialId))
  const { session, former, endedInvite } = stored.id === memorialId ? stored : readAll(null)

  const store = useCallback((made: Parameters<typeof storeSession>[0], inviteToken: string) => {
    const next = storeSession(made, inviteToken)
    setStored({ id: made.memorialId, session: next, former: readFormer(made.memorialId), endedInvite: null })
  }, [])
  const remove = useCallback(() => {
    if (memorialId !== null) endSession(memorialId)
    setStored((before) => ({
      id: memorialId,
      session: null,
      former: memorialId === null ? null : readFormer(memorialId),
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
  return { session, former, endedInvite, store, remove }
}
