import { useEffect, useState } from 'react'
import type { Comment } from '#shared/comments.ts'
import { sendMessage } from '#client/lib/offline/send-message.ts'
import {
  listWaiting,
  sendWaiting,
  watchWaiting,
  type WaitingMessage,
  type WaitingNews,
} from '#client/lib/offline/pending-messages.ts'

/** While something waits, the line is asked this often whether it is back: not every loss is told. */
const RETRY_MS = 30_000

/**
 * What was written to this memorial on this device and is not posted yet: by this author, or where nobody has said who they
 * are, by whoever held the phone last. `onPosted`: one was posted, from whatever tab.
 */
export function useWaiting(
  memorialId: string,
  authorId: string | null,
  onPosted?: (comment: Comment, key: string) => void,
): WaitingMessage[] {
  const [messages, setMessages] = useState<WaitingMessage[]>([])
  useEffect(() => {
    let isHere = true
    // What was read a moment too early does not bring them back.
    const gone = new Set<string>()
    const read = async () => {
      const all = await listWaiting()
      if (isHere) setMessages(all.filter((one) => one.memorialId === memorialId && !gone.has(one.key)))
    }
    const hear = (news: WaitingNews) => {
      if (news.memorialId !== null && news.memorialId !== memorialId) return
      const { posted } = news
      if (posted) {
        // At once: it stands among the messages now, and never in both places.
        gone.add(posted.key)
        setMessages((before) => before.filter(({ key }) => key !== posted.key))
        onPosted?.(posted.comment, posted.key)
      }
      void read()
    }
    const end = watchWaiting(hear)
    void read()
    return () => {
      isHere = false
      end()
    }
  }, [memorialId, onPosted])

  const isWaiting = messages.some(({ problem }) => problem === null)
  useEffect(() => {
    if (!isWaiting) return undefined
    const timer = setInterval(() => void sendWaiting(sendMessage), RETRY_MS)
    return () => clearInterval(timer)
  }, [isWaiting])
  return messages.filter((message) => authorId === null || message.authorId === authorId)
}
