import { offlineMessages } from '#shared/offline-messages.ts'
import { useOffline } from '#client/lib/use-offline.ts'
import styles from './offline-line.module.css'

/** A calm line while there is no connection. `mayWrite`: to those who can write here, that it will be sent. */
export function OfflineLine({ mayWrite }: { mayWrite: boolean }) {
  const offline = useOffline()
  if (!offline) return null
  return (
    <p className={styles['line']} role="status">
      {mayWrite ? offlineMessages.line : offlineMessages.lineOfReader}
    </p>
  )
}
