import { useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useContext, useEffect, useState, type ReactNode } from 'react'
import { api } from '#shared/api.ts'
import type { ContributorQuotas, ContributorSession } from '#shared/invites/invites.ts'
import { CONTRIBUTOR_QUOTA } from '#shared/limits.ts'
import type { MemorialView } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { call, isSessionOver, pathOf } from '#client/lib/call.ts'
import type { Author, Contributor } from '#client/lib/contributor.ts'
import { useHydrated } from '#client/lib/server-rendering.ts'
import { useSession } from '#client/lib/session.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { isGuestSession, type useStoredSession } from './contributor-session.ts'
import { PageLinkContext } from './page-link.ts'

const loadNameDialog = () => import('./name-dialog.tsx')
const NameDialog = lazy(async () => ({ default: (await loadNameDialog()).NameDialog }))

/** Key of a browser's own session. With its id, because another tab may change the name. */
export function ownSessionKey(memorialId: string, contributorId: string | null) {
  return [pathOf(api.contributorSession, { params: { id: memorialId } }), contributorId] as const
}

/** Keeps what the server said with a new session, so that the screen needn't ask. */
export function keepOwnSession(client: QueryClient, made: ContributorSession): void {
  const { authToken: _, ...own } = made
  client.setQueryData(ownSessionKey(own.memorialId, own.contributorId), own)
}

const { images, video, audio } = CONTRIBUTOR_QUOTA
const NOTHING_USED: ContributorQuotas = {
  images: { ...images, used: 0 },
  video: { ...video, used: 0, usedDurationSec: 0 },
  audio: { ...audio, used: 0, usedDurationSec: 0 },
}

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
  const isHydrated = useHydrated()
  const [answer, setAnswer] = useState<Answer | null>(null)
  const { session } = stored
  const { user } = useSession()
  const { viewer, memorial } = view
  const params = { id: memorial.id }
  /** Adds under a name of their own, whatever invitation this browser opened. */
  const isKeeper = viewer.role === 'KEEPER' || viewer.role === 'HELPER'
  const isNamed = isKeeper || viewer.role === 'CONTRIBUTOR' || (session !== null && !isGuestSession(session))
  const isOwnWriter = viewer.role === 'OWNER' || viewer.canEdit
  const token = session?.inviteToken ?? inviteToken
  const mayStart = memorial.privacy === 'INVITE' && viewer.role === 'VISITOR' && token !== null
  // What loaded through the link goes on through it: under another address, each image would load again.
  const link = useContext(PageLinkContext)
  const [cameByLink] = useState(session === null || link?.memorialId === memorial.id)

  const own = useQuery({
    queryKey: ownSessionKey(memorial.id, session?.contributorId ?? null),
    // An owner who opened the invitation has a leftover session, which they don't write with.
    enabled:
      isKeeper ||
      (memorial.privacy === 'INVITE' && !isOwnWriter && (viewer.role === 'CONTRIBUTOR' || session !== null)),
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
    return new Promise<Author | null>((resolve) => {
      // One answer is for everything that waits for it, such as a message and a file.
      setAnswer((waiting: Answer | null) => (author: Author | null) => {
        waiting?.(author)
        resolve(author)
      })
    })
  }, [])
  function settle(author: Author | null): void {
    setAnswer((waiting: Answer | null) => {
      waiting?.(author)
      return null
    })
  }
  function welcome(made: ContributorSession): void {
    if (token === null) return
    keepOwnSession(client, made)
    stored.store(made, token)
    showToast({ title: messages.contributor.welcomeTitle })
    settle({ id: made.contributorId })
    onChanged()
  }

  const contributorId = (isKeeper ? null : session?.contributorId) ?? own.data?.contributorId ?? null
  const author: Author | null =
    isOwnWriter && !isKeeper ? { id: user?.id ?? null } : isNamed ? { id: contributorId } : null

  const contributor: Contributor = {
    sessionId: session?.contributorId ?? null,
    writerId: user?.id ?? contributorId ?? 'guest',
    authorId: author?.id ?? (isKeeper ? null : user?.id) ?? null,
    // With a session at the start, its cookie authorises links and images; public memorials need nothing.
    invite: cameByLink && token !== null && memorial.privacy === 'INVITE' && !isOwnWriter ? token : undefined,
    sender: isOwnWriter ? 'owner' : 'contributor',
    displayName: isOwnWriter || !isNamed ? null : (own.data?.displayName ?? session?.displayName ?? null),
    // The server doesn't know what this device stores.
    formerName: isNamed || !isHydrated ? null : (stored.former?.displayName ?? null),
    // The server writes a guest's page before there is a session to ask about.
    quotas:
      isOwnWriter || isKeeper
        ? null
        : (own.data?.quotas ?? (link !== null && !isNamed ? NOTHING_USED : null)),
    mayAdd: viewer.canContribute || mayStart,
    mayChange: viewer.canEdit || viewer.canContribute,
    mayLike: user !== null || session !== null || viewer.role === 'CONTRIBUTOR',
    identify: () => (author ? Promise.resolve(author) : ask()),
    changeName: token ? () => void ask() : null,
    onRefused(error) {
      if (session === null || !isSessionOver(error)) return
      stored.remove()
      const isLinkDead = error.code === 'invitation_needed'
      const text = isLinkDead ? messages.invite.unsentText : error.text
      showErrorToast(messages.contributor.accessErrorTitle, text ?? messages.invite.endedText)
      onChanged()
    },
    refreshQuotas: () =>
      void client.invalidateQueries({ queryKey: ownSessionKey(memorial.id, null).slice(0, 1) }),
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
