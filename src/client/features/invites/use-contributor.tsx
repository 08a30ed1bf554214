import { useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useState, type ReactNode } from 'react'
import { api } from '#shared/api.ts'
import type { ContributorSession } from '#shared/invites.ts'
import type { MemorialView } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import { call, isSessionOver, pathOf } from '#client/lib/call.ts'
import type { Author, Contributor } from '#client/lib/contributor.ts'
import { useSession } from '#client/lib/session.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { isGuestSession, type useStoredSession } from './contributor-session.ts'

const loadNameDialog = () => import('./name-dialog.tsx')
const NameDialog = lazy(async () => ({ default: (await loadNameDialog()).NameDialog }))

type Answer = (author: Author | null) => void

/**
 * Who is adding to this memorial, and the dialog that asks for a name when needed. The server decides what is allowed
 * (`viewer.canContribute`); a guest with an invitation may start and is asked for a name later.
 */
export function useContributor(
  view: MemorialView,
  stored: ReturnType<typeof useStoredSession>,
  inviteToken: string | null,
  onChanged: () => void,
): { contributor: Contributor; dialog: ReactNode } {
  const client = useQueryClient()
  const [answer, setAnswer] = useState<Answer | null>(null)
  const { session } = stored
  const { user } = useSession()
  const { viewer, memorial } = view
  const params = { id: memorial.id }
  const isNamed = viewer.role === 'CONTRIBUTOR' || (session !== null && !isGuestSession(session))
  const isOwnWriter = viewer.role === 'OWNER' || viewer.role === 'ADMIN'
  const token = session?.inviteToken ?? inviteToken
  const mayStart = memorial.privacy === 'INVITE' && viewer.role === 'VISITOR' && token !== null

  const ownPath = pathOf(api.contributorSession, { params })
  const own = useQuery({
    // Another tab may have changed the name.
    queryKey: [ownPath, session?.contributorId ?? null],
    // An owner who opened the invitation has a leftover session, which they don't write with.
    enabled:
      memorial.privacy === 'INVITE' && !isOwnWriter && (viewer.role === 'CONTRIBUTOR' || session !== null),
    queryFn: () => call(api.contributorSession, { params }),
  })

  // Loaded before it's needed: somebody may write while the line is gone.
  const isAsked = mayStart && !isNamed
  useEffect(() => {
    if (isAsked) loadNameDialog().catch(() => null)
  }, [isAsked])
  const ask = useCallback(async () => {
    try {
      await loadNameDialog()
    } catch {
      showErrorToast(messages.contributor.accessErrorTitle, messages.system.network)
      return null
    }
    return new Promise<Author | null>((resolve) => setAnswer(() => resolve))
  }, [])
  function settle(author: Author | null): void {
    answer?.(author)
    setAnswer(null)
  }
  function welcome(made: ContributorSession): void {
    if (token === null) return
    stored.store(made, token)
    showToast({ title: messages.contributor.welcomeTitle })
    settle({ id: made.contributorId })
    onChanged()
  }

  const contributorId = session?.contributorId ?? own.data?.contributorId ?? null
  const author: Author | null = isOwnWriter
    ? { id: user?.id ?? null }
    : isNamed
      ? { id: contributorId }
      : null

  const contributor: Contributor = {
    writerId: user?.id ?? contributorId ?? 'guest',
    authorId: author?.id ?? user?.id ?? null,
    // With a session, its cookie authorises links and images; public memorials need nothing.
    invite: mayStart && session === null ? token : undefined,
    sender: isOwnWriter ? 'owner' : 'contributor',
    displayName: isOwnWriter || !isNamed ? null : (own.data?.displayName ?? session?.displayName ?? null),
    formerName: isNamed ? null : (stored.former?.displayName ?? null),
    quotas: isOwnWriter ? null : (own.data?.quotas ?? null),
    mayAdd: viewer.canContribute || mayStart,
    mayChange: viewer.canEdit || viewer.canContribute,
    mayLike: user !== null || session !== null || viewer.role === 'CONTRIBUTOR',
    identify: () => (author ? Promise.resolve(author) : ask()),
    changeName: token === null ? null : () => void ask(),
    onRefused(error) {
      if (session === null || !isSessionOver(error)) return
      stored.remove()
      const isLinkDead = error.code === 'invitation_needed'
      const text = isLinkDead ? messages.invite.unsentText : error.text
      showErrorToast(messages.contributor.accessErrorTitle, text ?? messages.invite.endedText)
      onChanged()
    },
    refreshQuotas: () => void client.invalidateQueries({ queryKey: [ownPath] }),
  }
  const dialog = answer && token !== null && (
    <Suspense>
      <NameDialog
        inviteToken={token}
        before={contributor.displayName ?? contributor.formerName}
        onNamed={welcome}
        onClose={() => settle(null)}
      />
    </Suspense>
  )
  return { contributor, dialog }
}
