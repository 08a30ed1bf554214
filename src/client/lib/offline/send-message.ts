import type { Comment } from '#shared/comments/comments.ts'
import { WRITTEN_BY_HEADER } from '#shared/ids.ts'
import type { SendResult, PendingMessage } from './pending-messages.ts'

const SEND_TIMEOUT_MS = 30_000

/** Sends one pending message. Classifies failures as `failureKind` does, in fewer bytes for the service worker. */
export async function sendMessage({ key, memorialId, authorId, body }: PendingMessage): Promise<SendResult> {
  let answer: Response
  try {
    answer = await fetch(`/api/memorials/${memorialId}/comments`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key, [WRITTEN_BY_HEADER]: authorId },
      body: JSON.stringify({ body }),
      // A hanging request would block the others.
      ...('timeout' in AbortSignal && { signal: AbortSignal.timeout(SEND_TIMEOUT_MS) }),
    })
  } catch {
    return { kind: 'later' }
  }
  const parsed = (await answer.json().catch(() => ({}))) as {
    comment?: Comment
    code?: string
    message?: string
  }
  if (parsed.comment) return { kind: 'sent', comment: parsed.comment }
  // Without one of our codes, a proxy or captive portal has answered.
  if (!parsed.code || answer.status >= 500 || answer.status === 429) return { kind: 'later' }
  return { kind: 'refused', text: parsed.message ?? null }
}
