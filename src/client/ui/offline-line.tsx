import { offlineMessages } from '#shared/offline-messages.ts'
import { useOffline } from '#client/lib/offline/use-offline.ts'
import styles from './offline-line.module.css'

/**
 * A calm line while there is no connection. `mayWrite`: to those who can write here, that it will be sent. A page that the
 * server wrote shows it by its small script.
 */
export function OfflineLine({ mayWrite }: { mayWrite: boolean }) {
  const offline = useOffline()
  return (
    <p className={styles.line} role="status" data-offline-line hidden={!offline}>
      {mayWrite ? offlineMessages.line : offlineMessages.lineOfReader}
    </p>
  )
}
