import { offlineMessages } from '#shared/offline-messages.ts'
import { useSession } from '#client/lib/session.ts'
import { useWaiting } from './use-waiting.ts'
import { Waiting } from './waiting-message.tsx'
import styles from './guestbook.module.css'

/** Unsent comments to a memorial that can no longer be opened, so that the text isn't lost. */
export function UnsentWords({ memorialId }: { memorialId: string }) {
  const { user } = useSession()
  const waiting = useWaiting(memorialId, user?.id ?? null)
  if (waiting.length === 0) return null
  return (
    <section aria-labelledby="unsent-words" className={styles.unsent}>
      <h2 id="unsent-words">{offlineMessages.unsentTitle}</h2>
      <ul className={styles.list}>
        {waiting.map((message) => (
          <Waiting key={message.key} message={message} />
        ))}
      </ul>
    </section>
  )
}
