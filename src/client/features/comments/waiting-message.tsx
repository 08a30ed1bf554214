import { useState } from 'react'
import { messages } from '#shared/messages.ts'
import { offlineMessages } from '#shared/offline-messages.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { cancelPendingMessage, type PendingMessage } from '#client/lib/offline/pending-messages.ts'
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
    if (busy) return
    setBusy(true)
    if (!(await cancelPendingMessage(key))) showToast({ title: offlineMessages.sentAlready })
    onRemoved?.()
  }

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(body)
      showToast({ title: offlineMessages.wordsCopied })
    } catch {
      showErrorToast(messages.share.copyFailedTitle, messages.share.copyFailedText)
    }
  }

  return (
    <li className={styles.sending}>
      <p dir="auto">{body}</p>
      {problem === null ? (
        <p role="status">{offlineMessages.waiting}</p>
      ) : (
        <p role="status">
          {offlineMessages.notPosted}. {problem} {offlineMessages.wordsKept}
        </p>
      )}
      <div className={styles.actions}>
        {problem !== null && (
          <Button variant="quiet" onClick={() => void copy()}>
            Copy
          </Button>
        )}
        <Button variant="quiet" aria-disabled={busy} onClick={() => void remove()}>
          {problem === null ? offlineMessages.cancel : 'Remove'}
        </Button>
      </div>
    </li>
  )
}
