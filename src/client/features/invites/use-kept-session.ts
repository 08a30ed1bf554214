import { useCallback, useEffect, useState } from 'react'
import type { ContributorSession } from '#shared/invites.ts'
import { forgetSession, keepSession, keyOfSession, readKeptSession } from './contributor-session.ts'

/**
 * The stored contributor session of a memorial, as state. `memorialId` is null while the memorial is unknown. `endedInvite`
 * is the invitation token of a session that was deleted because the server rejected it.
 */
export function useKeptSession(memorialId: string | null) {
  const read = (id: string | null) => ({
    id,
    session: id === null ? null : readKeptSession(id),
    endedInvite: null as string | null,
  })
  const [kept, setKept] = useState(() => read(memorialId))
  if (kept.id !== memorialId) setKept(read(memorialId))
  const { session, endedInvite } = kept.id === memorialId ? kept : read(null)

  const keep = useCallback((made: ContributorSession, inviteToken: string) => {
    setKept({ id: made.memorialId, session: keepSession(made, inviteToken), endedInvite: null })
  }, [])
  const forget = useCallback(() => {
    if (memorialId !== null) forgetSession(memorialId)
    setKept((before) => ({
      id: memorialId,
      session: null,
      endedInvite: before.session?.inviteToken ?? before.endedInvite,
    }))
  }, [memorialId])
  // Another tab changed the name or signed out: both tabs share the cookie.
  useEffect(() => {
    if (memorialId === null) return undefined
    const follow = ({ key }: StorageEvent) => {
      if (key === null || key === keyOfSession(memorialId))
        setKept((before) => ({ ...before, session: readKeptSession(memorialId) }))
    }
    window.addEventListener('storage', follow)
    return () => window.removeEventListener('storage', follow)
  }, [memorialId])
  return { session, endedInvite, keep, forget }
}
