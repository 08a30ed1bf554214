import { useEffect, useState } from 'react'
import type { Comment } from '#shared/comments.ts'
import { sendMessage } from '#client/lib/send-message.ts'
import {
  listWaiting,
  sendWaiting,
  watchWaiting,
  type WaitingMessage,
  type WaitingNews,
} from '#client/lib/waiting-messages.ts'

/** While something waits, the line is asked this often whether it is back: not every loss is told. */
const RETRY_MS = 30_000

/**
 * What was written to this memorial on this device and is not posted yet: by this author, or where nobody has said who they
 * are, by whoever held the phone last. `onPosted`: one was posted, from whatever tab.
 */
export function useWaiting(
  memorialId: string,
  authorId: string | null,
  onPosted?: (comment: Comment) => void,
): WaitingMessage[] {
  const [messages, setMessages] = useState<WaitingMessage[]>([])
  useEffect(() => {
    let isHere = true
    const read = async () => {
      const all = await listWaiting()
      if (isHere) setMessages(all.filter((message) => message.memorialId === memorialId))
    }
    const hear = (news: WaitingNews) => {
      if (news.memorialId !== null && news.memorialId !== memorialId) return
      if (news.comment) onPosted?.(news.comment)
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
