import { api } from '#shared/api.ts'
import type { Comment } from '#shared/comments.ts'
import { WRITTEN_BY_HEADER } from '#shared/ids.ts'
import { call } from '#client/lib/call.ts'
import { failureKind } from '#client/lib/upload/retry.ts'
import {
  requestBackgroundSync,
  cancelPendingMessage,
  storePendingMessage,
  sendWaiting,
  type Tried,
} from '#client/lib/offline/pending-messages.ts'

type NewMessage = { key: string; body: string; memorialId: string; authorId: string | null }

/**
 * Posts a new comment. It is first stored on this device (`onStored`). Returns null and keeps it stored if the server can't
 * be reached. If the server rejects it, deletes the stored copy and throws.
 */
export async function postMessage(written: NewMessage, onStored: () => void): Promise<Comment | null> {
  const { key, authorId, ...message } = written
  const send = async () => {
    const { comment } = await call(api.postComment, {
      params: { id: message.memorialId },
      body: { body: message.body },
      headers: { 'Idempotency-Key': key, ...(authorId !== null && { [WRITTEN_BY_HEADER]: authorId }) },
    })
    return comment
  }
  const pending = { ...message, key, authorId: authorId ?? '', writtenAt: Date.now(), problem: null }
  if (authorId === null || !(await storePendingMessage(pending))) return send()
  onStored()

  const problem: { error?: unknown } = {}
  const result = await sendWaiting(async (): Promise<Tried> => {
    try {
      return { kind: 'sent', comment: await send() }
    } catch (error) {
      problem.error = error
      return { kind: 'later' }
    }
  }, key)
  if (result?.kind === 'sent') return result.comment
  if (problem.error !== undefined && failureKind(problem.error) !== 'network') {
    await cancelPendingMessage(key)
    throw problem.error
  }
  void requestBackgroundSync()
  return null
}
