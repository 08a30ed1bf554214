import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useRef, useState, type ReactNode } from 'react'
import type { Comment, CommentPage } from '#shared/comments/comments.ts'
import { pageParameters } from '#shared/pages/pages.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { changeLoaded } from '#client/lib/query-client.ts'
import { LoadError } from '#client/ui/notice.tsx'
import { ShowMoreForm } from '#client/ui/forms/show-more-form.tsx'
import {
  commentsQuery,
  refreshOfflineCopy,
  withChanged,
  withReplaced,
  withComment,
  withoutComment,
} from './comments.queries.ts'
import type { Composer as ComposerType, Sending } from './composer.tsx'
import { Message } from './message.tsx'
import { usePendingMessages, PendingMessageItem } from './pending-messages.tsx'
import styles from './guestbook.module.css'

/** Loaded if the user may write, on screens that don't bring it. */
const LazyComposer = lazy(async () => ({ default: (await import('./composer.tsx')).Composer }))
export type ComposerComponent = typeof ComposerType | typeof LazyComposer

/** The comments of a memorial, and a form for those who may write. */
export function Guestbook({
  id,
  memorialId,
  contributor,
  audience,
  newBadge,
  first,
  Composer = LazyComposer,
  visitorForm,
}: {
  id: string
  memorialId: string
  contributor: Contributor
  audience: string
  /** See `MemorialParts`. */
  newBadge: ((item: Comment) => ReactNode) | undefined
  first?: CommentPage | undefined
  Composer?: ComposerComponent | undefined
  /** The form for a message without an invitation, where the family lets visitors leave one. */
  visitorForm?: ReactNode
}) {
  const client = useQueryClient()
  const options = commentsQuery(memorialId, contributor, first)
  const list = useInfiniteQuery(options)
  const [sending, setSending] = useState<Sending | null>(null)
  const listKey = useRef(options.queryKey)
  const show = useCallback(
    (comment: Comment, key?: string) => {
      setSending((before) => (before?.key === key ? null : before))
      changeLoaded(client, listKey.current, (pages) => withComment(pages, comment))
    },
    [client],
  )
  const pending = usePendingMessages(memorialId, contributor.authorId, show).filter(
    ({ key }) => key !== sending?.key,
  )
  const [announcement, setAnnouncement] = useState('')
  const heading = useRef<HTMLHeadingElement>(null)
  const [now] = useState(() => Date.now())
  const comments = list.data?.pages.flatMap((page) => page.comments) ?? []

  const count = comments.length
  const listed = useRef<HTMLUListElement>(null)
  /** What takes the focus, as soon as it is on the page. */
  const nextFocus = useRef<(() => HTMLElement | null | undefined) | null>(null)
  useEffect(() => {
    const element = nextFocus.current?.()
    if (!element) return
    element.focus({ preventScroll: element === heading.current })
    nextFocus.current = null
  })

  async function loadMore() {
    const { data, hasNextPage } = await list.fetchNextPage()
    // The button disappears with the last page: the first new comment takes the focus.
    if (!hasNextPage) nextFocus.current = () => listed.current?.children[count]?.querySelector('button')
    const added = data?.pages.at(-1)?.comments.length ?? 0
    setAnnouncement(added === 1 ? '1 more message' : `${added} more messages`)
  }

  return (
    <section id={id} className={styles.guestbook} aria-labelledby={`${id}-title`}>
      <h2 ref={heading} tabIndex={-1} id={`${id}-title`} className={styles.title}>
        Guestbook
      </h2>
      {contributor.mayAdd && (
        <Suspense>
          <Composer
            memorialId={memorialId}
            contributor={contributor}
            audience={audience}
            onSending={setSending}
            onPosted={(comment) => {
              show(comment)
              refreshOfflineCopy(memorialId, contributor)
              // Unless the user has moved on since posting, to another control or out of sight of the form.
              const form = document.activeElement?.closest('form')?.getBoundingClientRect()
              if (form && form.bottom > 0 && form.top < window.innerHeight)
                nextFocus.current = () => document.getElementById(comment.id)
            }}
          />
        </Suspense>
      )}
      {visitorForm}
      {list.isError && (
        <LoadError
          title="The messages could not be loaded"
          error={list.error}
          onRetry={() => void list.refetch()}
        />
      )}
      {list.isSuccess && count === 0 && pending.length === 0 && sending === null && (
        <p className={styles.empty}>
          {contributor.mayAdd || visitorForm
            ? 'No messages yet. Yours can be the first.'
            : 'No messages yet.'}
        </p>
      )}
      <ul ref={listed} className={styles.list}>
        {sending !== null && (
          <li className={styles.sending}>
            <p>{sending.body}</p>
            <p role="status">Sending…</p>
          </li>
        )}
        {pending.toReversed().map((message) => (
          <PendingMessageItem
            key={message.key}
            message={message}
            onRemoved={() => heading.current?.focus({ preventScroll: true })}
          />
        ))}
        {comments.map((comment) => (
          <Message
            key={comment.id}
            comment={comment}
            memorialId={memorialId}
            contributor={contributor}
            badge={newBadge?.(comment)}
            now={Math.max(now, Date.parse(comment.createdAt))}
            onDeleted={(deleted) => {
              changeLoaded(client, options.queryKey, (pages) => withoutComment(pages, deleted))
              refreshOfflineCopy(memorialId, contributor)
              // The focused element is gone, once the dialog has closed.
              nextFocus.current = () => heading.current
            }}
            onThanked={(thanked) =>
              changeLoaded(client, options.queryKey, (pages) => withReplaced(pages, thanked))
            }
            onLiked={(liked, likes) =>
              changeLoaded(client, options.queryKey, (pages) => withChanged(pages, liked, likes))
            }
          />
        ))}
      </ul>
      {list.hasNextPage && (
        <ShowMoreForm
          name={pageParameters.messages}
          value={list.data?.pages.at(-1)?.nextCursor ?? ''}
          target={id}
          isBusy={list.isFetchingNextPage}
          onMore={() => void loadMore()}
        >
          Load More Messages
        </ShowMoreForm>
      )}
      <p className="visually-hidden" aria-live="polite">
        {announcement}
      </p>
    </section>
  )
}
