import { useCallback, useEffect, useState } from 'react'
import type { ContributorSession } from '#shared/invites.ts'
import { deleteSession, storeSession, sessionKey, readStoredSession } from './contributor-session.ts'

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
