import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { Comment, CommentLikes } from '#shared/comments.ts'
import { messages } from '#shared/messages.ts'
import { call, errorText } from '#client/lib/call.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { formatDate, formatRelative } from '#client/lib/dates.ts'
import { initialsOf } from '#shared/page-titles.ts'
import { useHydrated } from '#client/lib/hydrated.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { LikeButton } from './like-button.tsx'
import styles from './message.module.css'

/** One comment of the guestbook. */
export function Message({
  comment,
  contributor,
  now,
  onDeleted,
  onLiked,
}: {
  comment: Comment
  contributor: Contributor
  now: number
  onDeleted: (id: string) => void
  onLiked: (id: string, likes: CommentLikes) => void
}) {
  const [asking, setAsking] = useState(false)
  const isHydrated = useHydrated()
  const remove = useMutation({
    mutationFn: () => call(api.deleteComment, { params: { id: comment.id } }),
    onSuccess() {
      showToast({ title: messages.comment.deletedTitle })
      onDeleted(comment.id)
    },
    onError(error) {
      setAsking(false)
      showErrorToast(messages.media.deleteFailedTitle, errorText(error, messages.system.internal))
      contributor.onRefused(error)
    },
  })
  return (
    <li id={comment.id} tabIndex={-1} className={styles.message}>
      <span className={styles.initials} aria-hidden="true">
        {initialsOf(comment.authorName)}
      </span>
      <div>
        <p className={styles.body} dir="auto">
          {comment.body}
        </p>
        <p className={styles.meta}>
          <bdi className={styles.author}>{comment.authorName}</bdi>
          {comment.isOwner && (
            <>
              {' '}
              · Memorial Owner <span className={styles.family}>Family</span>
            </>
          )}
          {' · '}
          <time
            dateTime={comment.createdAt}
            title={formatDate(comment.createdAt)}
            data-ago
            suppressHydrationWarning
          >
            {isHydrated ? formatRelative(comment.createdAt, now) : formatDate(comment.createdAt)}
          </time>
        </p>
        <div className={styles.actions}>
          <LikeButton comment={comment} onLiked={onLiked} />
          {comment.canDelete && (
            <Button
              variant="quiet"
              aria-label={`Delete the message of ${comment.authorName}`}
              onClick={() => setAsking(true)}
            >
              Delete
            </Button>
          )}
        </div>
      </div>
      {asking && (
        <ConfirmDialog
          title={messages.comment.confirmDelete}
          confirmLabel="Delete message"
          busy={remove.isPending}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        />
      )}
    </li>
  )
}
