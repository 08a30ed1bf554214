import type { Leftovers, Sweep } from '#shared/admin.ts'
import { formatBytes } from '#shared/messages.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { Card } from '#client/ui/card.tsx'
import { Badge, type Tone } from './badge.tsx'
import styles from './system-tab.module.css'

const SWEEPS: Record<Sweep['job'], string> = {
  uploads: 'Uploads that were given up',
  parts: 'Parts of broken uploads',
  objects: 'Files that no entry knows',
  deletions: 'Files of removed entries',
}
const STATES: Record<Sweep['status'], { word: string; tone: Tone }> = {
  ok: { word: 'Working', tone: 'positive' },
  late: { word: 'Stands still', tone: 'danger' },
  never: { word: 'Has not run yet', tone: 'neutral' },
}

/** Leftovers of uploads: how many are pending removal, and when each sweep last ran. */
export function CleaningUp({ leftovers }: { leftovers: Leftovers | null }) {
  return (
    <Card id="cleaning-up" title="Cleaning Up">
      {leftovers ? (
        <>
          <ul className={styles.checks}>
            {leftovers.sweeps.map((sweep) => (
              <li key={sweep.job}>
                <span className={styles.part}>{SWEEPS[sweep.job]}</span>
                <Badge tone={STATES[sweep.status].tone}>{STATES[sweep.status].word}</Badge>
                <span className={styles.detail}>{lastRun(sweep)}</span>
              </li>
            ))}
          </ul>
          <dl className={styles.waiting}>
            <div>
              <dt>Uploads on their way</dt>
              <dd>
                {leftovers.uploads} ({formatBytes(leftovers.reservedBytes)} reserved)
              </dd>
            </div>
            <div>
              <dt>Given up, not yet removed</dt>
              <dd>{leftovers.expiredUploads}</dd>
            </div>
            <div>
              <dt>Files waiting for removal</dt>
              <dd>
                {leftovers.deletions}
                {leftovers.oldestDeletionAt && ` (since ${formatDateTime(leftovers.oldestDeletionAt)})`}
              </dd>
            </div>
          </dl>
        </>
      ) : (
        <p>What waits to be removed could not be counted.</p>
      )}
    </Card>
  )
}

function lastRun({ lastRunAt, removed, failed }: Sweep): string {
  if (lastRunAt === null) return 'Its first run is within the hour.'
  const later = failed === 0 ? '' : ` ${failed} could not be removed now and will be looked at again.`
  return `Last run ${formatDateTime(lastRunAt)}: ${removed} removed.${later}`
}
