import { offlineMessages } from '#shared/offline-messages.ts'
import { useOffline } from '#client/lib/offline/use-offline.ts'
import styles from './offline-line.module.css'

/**
 * A notice while offline. With `mayWrite` it also says that what the user writes will be sent later. On a
 * server-rendered page the small script shows it.
 */
export function OfflineLine({ mayWrite }: { mayWrite: boolean }) {
  const offline = useOffline()
  return (
    <p className={styles.line} role="status" data-offline-line hidden={!offline}>
      {mayWrite ? offlineMessages.line : offlineMessages.lineOfReader}
    </p>
  )
}
