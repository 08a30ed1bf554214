import { useState, useEffect } from 'react'
import type { Comment } from '#shared/comments/comments.ts'
import { pendingMessages } from '#shared/comments/pending-messages.ts'
import { copyText } from '#client/lib/browser/copy-text.ts'
import {
  cancelPendingMessage,
  listPendingMessages,
  sendPending,
  watchPendingMessages,
  type PendingMessage,
  type PendingMessageEvent,
} from '#client/lib/offline/pending-messages.ts'
import { sendMessage } from '#client/lib/offline/send-message.ts'
import { useSession } from '#client/lib/session.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import styles from './guestbook.module.css'

/** A message stored on this device: pending until there is a connection, or rejected by the server. */
export function PendingMessageItem({
  message,
  onRemoved,
}: {
  message: PendingMessage
  onRemoved?: () => void
}) {
  const [busy, setBusy] = useState(false)
  const { key, body, problem } = message

  async function remove(): Promise<void> {
    setBusy(true)
    if (!(await cancelPendingMessage(key))) showToast({ title: pendingMessages.sentAlready })
    onRemoved?.()
  }

  return (
    <li className={styles.sending}>
      <p dir="auto">{body}</p>
      {problem === null ? (
        <p role="status">{pendingMessages.waiting}</p>
      ) : (
        <p role="status">
          {pendingMessages.notPosted}. {problem && `${problem.replace(/\.$/u, '')}.`}{' '}
          {pendingMessages.wordsKept}
        </p>
      )}
      <div className={`row ${styles.actions}`}>
        {problem !== null && (
          <Button variant="quiet" onClick={() => void copyText(body, pendingMessages.wordsCopied)}>
            Copy
          </Button>
        )}
        <Button variant="quiet" isBusy={busy} onClick={() => void remove()}>
          {problem === null ? pendingMessages.cancel : 'Remove'}
        </Button>
      </div>
    </li>
  )
}

/** Interval for retrying pending messages, because browsers don't report every change of the connection. */
const RETRY_MS = 30_000

/** Pending messages to this memorial by this author, or by anyone if unknown. `onPosted`: one was posted, in any tab. */
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
    const timer = setInterval(() => void sendPending(sendMessage), RETRY_MS)
    return () => clearInterval(timer)
  }, [hasPending])
  return messages.filter((message) => authorId === null || message.authorId === authorId)
}

/** Unsent comments to a memorial that can no longer be opened, so that the text isn't lost. */
export function UnsentMessages({ memorialId }: { memorialId: string }) {
  const { user } = useSession()
  const pending = usePendingMessages(memorialId, null).filter(
    ({ writerId, authorId }) => !user || (writerId ?? authorId) === user.id,
  )
  if (pending.length === 0) return null
  return (
    <section aria-labelledby="unsent-words" className={styles.unsent}>
      <h2 id="unsent-words">{pendingMessages.unsentTitle}</h2>
      <ul className={styles.list}>
        {pending.map((message) => (
          <PendingMessageItem key={message.key} message={message} />
        ))}
      </ul>
    </section>
  )
}
