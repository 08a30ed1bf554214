import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useContext, useState, type ReactNode } from 'react'
import { api } from '#shared/api.ts'
import type { Comment, CommentLikes } from '#shared/comments/comments.ts'
import { initialsOf } from '#shared/pages/page-titles.ts'
import { messages } from '#shared/messages.ts'
import { call, errorText } from '#client/lib/call.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { formatDate, formatRelative } from '#client/lib/dates.ts'
import { ForViewerContext, useHydrated } from '#client/lib/server-rendering.ts'
import { offerUndo } from '#client/lib/removed.ts'
import { showErrorToast, showFailure } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { HeldNote } from '#client/ui/held-note.tsx'
import { More } from '#client/ui/more.tsx'
import { ReportDialog, ReportLink } from '#client/ui/report-link.tsx'
import styles from './message.module.css'

const ConfirmRemoval = lazy(async () => ({
  default: (await import('#client/ui/confirm-removal.tsx')).ConfirmRemoval,
}))

export function Message({
  comment,
  memorialId,
  contributor,
  badge,
  now,
  onDeleted,
  onLiked,
  onThanked,
}: {
  comment: Comment
  memorialId: string
  contributor: Contributor
  /** Set if it is new to this viewer. */
  badge: ReactNode
  now: number
  onDeleted: (id: string) => void
  onLiked: (id: string, likes: CommentLikes) => void
  onThanked: (comment: Comment) => void
}) {
  const client = useQueryClient()
  const isHydrated = useHydrated()
  // A page that is the same for everybody shows the number.
  const isForViewer = useContext(ForViewerContext)
  const mayLike = (isHydrated || isForViewer) && contributor.mayLike
  const [isAsking, setAsking] = useState(false)
  const [isReporting, setReporting] = useState(false)
  const remove = useMutation({
    mutationFn: () => call(api.deleteComment, { params: { id: comment.id } }),
    onSuccess() {
      offerUndo(client, memorialId, { kind: 'comment', id: comment.id }, contributor.mayChange)
      onDeleted(comment.id)
    },
    onError(error) {
      showFailure(messages.media.deleteFailedTitle, error)
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
        <p className={`small-muted ${styles.meta}`}>
          <bdi className={styles.author}>{comment.authorName}</bdi>
          {comment.visitorRelation && (
            <>
              , <bdi>{comment.visitorRelation}</bdi>
            </>
          )}
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
          {!mayLike && comment.likeCount > 0 && ` · ${likesText(comment.likeCount)}`}
          {badge && <> {badge}</>}
        </p>
        {comment.isThanked && <p className={styles.thanks}>{messages.thanks.shown}</p>}
        {comment.isHeld && <HeldNote sender={contributor.sender} isOnPage />}
        <div className={`row ${styles.actions}`}>
          {mayLike && <LikeButton comment={comment} onLiked={onLiked} />}
          {contributor.sender === 'owner' && comment.authorContributorId !== null && (
            <ThanksButton comment={comment} onThanked={onThanked} />
          )}
          {!comment.canDelete && (
            <ReportLink
              id={comment.id}
              of={`message of ${comment.authorName}`}
              onReport={() => setReporting(true)}
            />
          )}
          {comment.canDelete && (
            <More of={`message of ${comment.authorName}`}>
              <Button
                variant="danger"
                aria-label={`Delete the message of ${comment.authorName}`}
                isBusy={remove.isPending}
                onClick={() => (contributor.mayChange ? remove.mutate() : setAsking(true))}
              >
                Delete
              </Button>
            </More>
          )}
          {isReporting && (
            <Suspense>
              <ReportDialog noun="message" id={comment.id} onClose={() => setReporting(false)} />
            </Suspense>
          )}
          {isAsking && (
            <Suspense>
              <ConfirmRemoval
                onConfirm={() => {
                  setAsking(false)
                  remove.mutate()
                }}
                onClose={() => setAsking(false)}
              />
            </Suspense>
          )}
        </div>
      </div>
    </li>
  )
}

/** A like button with the number of likes; a second press takes the like back. */
function LikeButton({
  comment,
  onLiked,
}: {
  comment: Comment
  onLiked: (id: string, likes: CommentLikes) => void
}) {
  const like = useMutation({
    mutationFn: () =>
      call(comment.likedByMe ? api.unlikeComment : api.likeComment, {
        params: { id: comment.id },
      }),
    onSuccess: (likes) => onLiked(comment.id, likes),
    onError: (error) => showErrorToast(errorText(error, messages.system.internal)),
  })
  return (
    <Button
      variant="quiet"
      className={styles.like}
      aria-pressed={comment.likedByMe}
      isBusy={like.isPending}
      onClick={() => like.mutate()}
    >
      <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
        <path d="M12 20.5C5 15.5 3 12 3 8.7 3 6 5 4 7.5 4 9.4 4 11 5 12 6.7 13 5 14.6 4 16.5 4 19 4 21 6 21 8.7c0 3.3-2 6.8-9 11.8Z" />
      </svg>
      Like
      {comment.likeCount > 0 && (
        <span>
          <span aria-hidden="true">· </span>
          {comment.likeCount}
        </span>
      )}
    </Button>
  )
}

/** A button with which the family thanks for a message, for everybody to see; a second press takes that back. */
function ThanksButton({
  comment: { id, isThanked, authorName },
  onThanked,
}: {
  comment: Comment
  onThanked: (comment: Comment) => void
}) {
  const thank = useMutation({
    mutationFn: () => call(api.thankComment, { params: { id }, body: { isThanked: !isThanked } }),
    onSuccess: ({ comment }) => onThanked(comment),
    onError: (error) => showFailure(messages.thanks.failedTitle, error),
  })
  return (
    <Button
      variant="quiet"
      aria-label={`Say thanks for the message of ${authorName}`}
      aria-pressed={isThanked ?? false}
      isBusy={thank.isPending}
      onClick={() => thank.mutate()}
    >
      Say thanks
    </Button>
  )
}

function likesText(count: number): string {
  return count === 1 ? '1 like' : `${count} likes`
}
