import { useEffect, useState } from 'react'
import type { Comment } from '#shared/comments.ts'
import { sendMessage } from '#client/lib/offline/send-message.ts'
import {
  listPendingMessages,
  sendWaiting,
  watchPendingMessages,
  type PendingMessage,
  type PendingMessageEvent,
} from '#client/lib/offline/pending-messages.ts'

/** Interval for retrying pending messages, because browsers don't report every change of the connection. */
const RETRY_MS = 30_000

/**
 * Pending messages of this device to this memorial: by this author, or by anyone if the author is unknown. `onPosted` is
 * called when one was posted, from any tab.
 */
export function usePendingMessages(
  memorialId: string,
  authorId: string | null,
  onPosted?: (comment: Comment, key: string) => void,
): PendingMessage[] {
  const [messages, setMessages] = useState<PendingMessage[]>([])
  useEffect(() => {
    let isMounted = true
    // A read that started before the post must not bring a posted message back.
    const postedKeys = new Set<string>()
    const read = async () => {
      const all = await listPendingMessages()
      if (isMounted)
        setMessages(all.filter((one) => one.memorialId === memorialId && !postedKeys.has(one.key)))
    }
    const handleNews = (news: PendingMessageEvent) => {
      if (news.memorialId !== null && news.memorialId !== memorialId) return
      const { posted } = news
      if (posted) {
        // Remove it at once, so that it never appears both here and among the comments.
        postedKeys.add(posted.key)
        setMessages((before) => before.filter(({ key }) => key !== posted.key))
        onPosted?.(posted.comment, posted.key)
      }
      void read()
    }
    const unwatch = watchPendingMessages(handleNews)
    void read()
    return () => {
      isMounted = false
      unwatch()
    }
  }, [memorialId, onPosted])

  const hasPending = messages.some(({ problem }) => problem === null)
  useEffect(() => {
    if (!hasPending) return undefined
    const timer = setInterval(() => void sendWaiting(sendMessage), RETRY_MS)
    return () => clearInterval(timer)
  }, [hasPending])
  return messages.filter((message) => authorId === null || message.authorId === authorId)
}
