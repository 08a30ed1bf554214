import { useCallback, useEffect, useState } from 'react'
import type { ContributorSession } from '#shared/invites.ts'
import { forgetSession, keepSession, keyOfSession, readKeptSession } from './contributor-session.ts'

/**
 * The contributor session kept for a memorial (null: not known which yet), as state of the screen. `endedInvite` is the
 * link that a session was made with which was put away here because the server no longer takes it.
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
  // Another tab has given another name, or signed out: the cookie is the same for both.
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
