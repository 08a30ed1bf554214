import type { InfiniteData } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import { call, pathOf } from '#client/lib/call.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { cursorQuery } from '#client/lib/query-client.ts'

type Pages = InfiniteData<CommentPage>

/** The guestbook, newest first, page by page; `first` replaces the first call if the page includes it. */
export function commentsQuery(
  memorialId: string,
  { invite }: Pick<Contributor, 'invite'>,
  first?: CommentPage,
) {
  const params = { id: memorialId }
  return cursorQuery<CommentPage>(
    pathOf(api.listComments, { params }),
    (query) => call(api.listComments, { params, query: { invite, ...query } }),
    first,
  )
}

/** Refetches the first page through the service worker, so that the offline copy follows a change. */
export function refreshOfflineCopy(memorialId: string, { invite, sender }: Contributor): void {
  if (sender === 'owner' || !navigator.serviceWorker?.controller) return
  // If this fails, the copy stays as it was.
  call(api.listComments, { params: { id: memorialId }, query: { invite } }).catch(() => null)
}

/** The list with a comment added at the top. */
export function withComment(pages: Pages | undefined, comment: Comment): Pages | undefined {
  return mapPages(pages, (comments, isFirst) =>
    isFirst ? [comment, ...comments.filter(({ id }) => id !== comment.id)] : comments,
  )
}

/** The list without one comment. */
export function withoutComment(pages: Pages | undefined, id: string): Pages | undefined {
  return mapPages(pages, (comments) => comments.filter((comment) => comment.id !== id))
}

/** The list with a comment as the server has it now. */
export function withReplaced(pages: Pages | undefined, now: Comment): Pages | undefined {
  return mapPages(pages, (comments) => comments.map((comment) => (comment.id === now.id ? now : comment)))
}

/** The list with one comment changed. */
export function withChanged(
  pages: Pages | undefined,
  id: string,
  change: Partial<Comment>,
): Pages | undefined {
  return mapPages(pages, (comments) =>
    comments.map((comment) => (comment.id === id ? { ...comment, ...change } : comment)),
  )
}

/** The pages with changed comments; `isFirst` is true for the first page. */
function mapPages(
  pages: Pages | undefined,
  change: (comments: Comment[], isFirst: boolean) => Comment[],
): Pages | undefined {
  const mapped = pages?.pages.map((page, index) => ({
    ...page,
    comments: change(page.comments, index === 0),
  }))
  return pages && mapped && { ...pages, pages: mapped }
}
