import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { useStoredSession } from '#client/features/invites/contributor-session.ts'
import { VisitorForm } from '#client/features/comments/visitor-form.tsx'
import { MemorialError } from '#client/features/memorials/page/memorial-error.tsx'
import { MemorialSkeleton } from '#client/features/memorials/page/memorial-skeleton.tsx'
import { repliesFor } from '#client/features/replies/replies.tsx'
import { endpointQuery } from '#client/lib/query-client.ts'
import { MemorialScreen } from './memorial-screen.tsx'

const HeldNotice = lazy(async () => ({
  default: (await import('#client/features/memorials/removal/held-items.tsx')).HeldNotice,
}))
const HeldItems = lazy(async () => ({
  default: (await import('#client/features/memorials/removal/held-items.tsx')).HeldItems,
}))
const ReportedItems = lazy(async () => ({
  default: (await import('#client/features/memorials/removal/reported-items.tsx')).ReportedItems,
}))
const RepliesList = lazy(async () => ({
  default: (await import('#client/features/replies/replies-list.tsx')).RepliesList,
}))
const RemovedItems = lazy(async () => ({
  default: (await import('#client/features/memorials/removal/removed-items.tsx')).RemovedItems,
}))
const InvitationToAdd = lazy(async () => ({
  default: (await import('#client/features/invites/invitation-to-add.tsx')).InvitationToAdd,
}))
const ShareTools = lazy(async () => ({ default: (await import('./share-tools.tsx')).ShareTools }))

/** `/m/:slug`: the address that is shared and engraved. */
export default function PublicMemorialPage() {
  const { slug = '' } = useParams()
  const view = useQuery(endpointQuery(api.memorialBySlug, { params: { slug } }))
  const stored = useStoredSession(view.data?.memorial.id ?? null)
  if (view.isError) return <MemorialError error={view.error} onRetry={() => void view.refetch()} />
  if (!view.data) return <MemorialSkeleton />
  const { media, mediaCursor, mediaCounts, comments, commentsCursor } = view.data
  return (
    <MemorialScreen
      view={view.data}
      stored={stored}
      inviteToken={null}
      firstMedia={{
        media,
        nextCursor: mediaCursor,
        counts: mediaCounts,
        people: null,
        newerCursor: null,
        newerCount: null,
      }}
      firstComments={{ comments, nextCursor: commentsCursor }}
      parts={{
        notice: view.data.viewer.canEdit && (
          <Suspense>
            <HeldNotice memorialId={view.data.memorial.id} />
          </Suspense>
        ),
        Invitation: InvitationToAdd,
        renderReplies: repliesFor(view.data),
        visitorForm: <VisitorForm memorial={view.data.memorial} isOnMemorial />,
        tools: view.data.viewer.role === 'OWNER' && (
          <Suspense>
            <ShareTools memorial={view.data.memorial} />
          </Suspense>
        ),
        foot: view.data.viewer.canEdit && (
          <Suspense>
            <HeldItems isPrivate={false} memorialId={view.data.memorial.id} />
            <RepliesList memorialId={view.data.memorial.id} events={view.data.funeralEvents} />
            <ReportedItems memorialId={view.data.memorial.id} />
            <RemovedItems memorialId={view.data.memorial.id} />
          </Suspense>
        ),
      }}
      onChanged={() => void view.refetch()}
    />
  )
}
