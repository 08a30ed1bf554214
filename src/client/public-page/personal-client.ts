import type { QueryClient } from '@tanstack/react-query'
import type { ContextType } from 'react'
import type { User } from '#shared/accounts/accounts.ts'
import { api } from '#shared/api.ts'
import type { CommentPage } from '#shared/comments/comments.ts'
import type { ContributorSession } from '#shared/invites/invites.ts'
import type { Added } from '#shared/messages.ts'
import type { MediaPage } from '#shared/media/media.ts'
import type { MemorialView } from '#shared/memorials/memorials.ts'
import { commentsQuery } from '#client/features/comments/comments.queries.ts'
import type { PageLinkContext } from '#client/features/invites/page-link.ts'
import { ownSessionKey } from '#client/features/invites/use-contributor.tsx'
import { mediaQuery } from '#client/features/media/media.queries.ts'
import type { PostedForm } from '#client/lib/server-rendering.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { writtenPageClient, type Config } from './page-client.ts'

/**
 * What the page of one memorial holds for one viewer, in the shapes of the calls. `own`: their contributor session. `link`: the
 * invitation through which its images load.
 */
export type PersonalData = {
  link: string | null
  view: MemorialView
  media: MediaPage
  comments: CommentPage
  own: Omit<ContributorSession, 'authToken'> | null
  user: User | null
  config: Config
  /** The form that the server has refused, or null. */
  posted: PostedForm | null
  /** What a form has just added. */
  added: readonly Added[]
}

/** A query client filled with all data of the page, for server rendering and hydration. `invite`: the token in its address. */
export function personalClient(
  { view, media, comments, own, user, config }: PersonalData,
  invite: string | null,
): QueryClient {
  const client = writtenPageClient(user, config)
  const { id } = view.memorial
  const byLink = { invite: undefined }
  const query = invite === null ? {} : { invite }
  client.setQueryData(endpointQuery(api.memorial, { params: { id }, query }).queryKey, view)
  client.setQueryData(mediaQuery(id, byLink).queryKey, { pages: [media], pageParams: [null] })
  client.setQueryData(commentsQuery(id, byLink).queryKey, { pages: [comments], pageParams: [null] })
  for (const contributorId of own ? [own.contributorId, null] : [])
    client.setQueryData(ownSessionKey(id, contributorId), own)
  return client
}

/** The link of a page for {@link PageLinkContext}. */
export function pageLinkOf({ link, view }: PersonalData): ContextType<typeof PageLinkContext> {
  return link === null ? null : { memorialId: view.memorial.id, token: link }
}
