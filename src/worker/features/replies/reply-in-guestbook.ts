import { AppError } from '#shared/errors.ts'
import type { ReplyInput } from '#shared/replies/replies.ts'
import type { MemorialAccess } from '#worker/access/memorial-access.ts'
import { postComment } from '#worker/features/comments/post-comment.ts'
import { leaveMessage } from '#worker/features/visitors/visitor-messages.ts'
import { rememberVisitor } from '#worker/features/visitors/visitor-sessions.ts'
import type { RequestCtx } from '#worker/platform/ctx.ts'
import { uuidOf } from '#worker/platform/random.ts'

/**
 * Leaves the words of a reply in the guestbook as well, by the rules for whoever leaves a message there: it may be held. False where they can leave
 * none; the reply stands all the same. A repeated `key` leaves one message.
 */
export async function leaveInGuestbook(
  ctx: RequestCtx,
  access: MemorialAccess,
  { name, words, inGuestbook }: ReplyInput,
  key: string | null,
  headers: Headers,
): Promise<boolean> {
  if (!inGuestbook || words === '') return false
  // The reply has the other one.
  const ownKey = key && uuidOf(`guestbook ${key}`)
  try {
    if (access.memorial.privacy === 'LOCKED') {
      const { authToken } = await leaveMessage(ctx, access, { name, body: words }, ownKey)
      await rememberVisitor(ctx, headers, access, authToken)
    } else await postComment(ctx, access, words, { key: ownKey, writtenBy: null })
    return true
  } catch (error) {
    if (error instanceof AppError) return false
    throw error
  }
}
