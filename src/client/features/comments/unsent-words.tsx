import { offlineMessages } from '#shared/offline-messages.ts'
import { useSession } from '#client/lib/session.ts'
import { usePendingMessages } from './use-waiting.ts'
import { PendingMessageItem } from './waiting-message.tsx'
import styles from './guestbook.module.css'

/** Unsent comments to a memorial that can no longer be opened, so that the text isn't lost. */
export function UnsentMessages({ memorialId }: { memorialId: string }) {
  const { user } = useSession()
  const pending = usePendingMessages(memorialId, user?.id ?? null)
  if (pending.length === 0) return null
  return (
    <section aria-labelledby="unsent-words" className={styles.unsent}>
      <h2 id="unsent-words">{offlineMessages.unsentTitle}</h2>
      <ul className={styles.list}>
        {pending.map((message) => (
          <PendingMessageItem key={message.key} message={message} />
        ))}
      </ul>
    </section>
  )
}
