import { useMutation } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { Comment, CommentLikes } from '#shared/comments.ts'
import { messages } from '#shared/messages.ts'
import { call, errorText } from '#client/lib/call.ts'
import { useDataSaver } from '#client/lib/data-saver.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import styles from './like-button.module.css'

/** A like button with the number of likes; a second press takes the like back. */
export function LikeButton({
  comment,
  onLiked,
}: {
  comment: Comment
  onLiked: (id: string, likes: CommentLikes) => void
}) {
  const isDataSaver = useDataSaver()
  const like = useMutation({
    mutationFn: () =>
      call(comment.likedByMe ? api.unlikeComment : api.likeComment, {
        params: { id: comment.id },
      }),
    onSuccess: (likes) => onLiked(comment.id, likes),
    onError: (error) => showErrorToast(errorText(error, messages.system.internal)),
  })
  if (isDataSaver) return null
  return (
    <Button
      variant="quiet"
      className={styles.like}
      data-like={comment.likeCount}
      aria-pressed={comment.likedByMe}
      aria-disabled={like.isPending}
      onClick={() => {
        if (!like.isPending) like.mutate()
      }}
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
