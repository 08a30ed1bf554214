import type { SystemCheck } from '#shared/admin.ts'
import { api } from '#shared/api.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { Button } from '#client/ui/button.tsx'
import { Card } from '#client/ui/page.tsx'
import { useReload, useTabData } from './admin.queries.ts'
import { AuditLog } from './audit-log.tsx'
import { RowSkeletons } from './lists.tsx'
import { Check, CleaningUp, OperationsCards, type State } from './operations.tsx'
import { ContactMessages, DeadJobList, MailList } from './system-lists.tsx'
import styles from './system-tab.module.css'

const PARTS: Record<SystemCheck['part'], string> = {
  database: 'Database',
  storage: 'Photos and files',
  sessions: 'Signing in',
  counters: 'Quotas and limits',
  pictures: 'Sizes of photos',
  queue: 'Waiting work',
  mail: 'Mail',
  payments: 'Card payments',
}
const STATES: Record<SystemCheck['status'], State> = {
  ok: { word: 'Working', tone: 'positive' },
  failing: { word: 'Failing', tone: 'danger' },
  not_set_up: { word: 'Not set up', tone: 'neutral' },
}

/** Health checks of every service the site depends on, operations, contact messages and the audit log. */
export function SystemTab() {
  const { data, isFetching } = useTabData(api.adminSystem, {})
  const reload = useReload(
    api.adminSystem,
    api.adminDeadJobs,
    api.adminMails,
    api.adminMessages,
    api.adminAudit,
  )
  return (
    <div className={styles.sections}>
      {data ? (
        <>
          <div className={styles.cards}>
            <Card id="database-status" title="Database Status">
              <Checks checks={data.checks.filter(({ part }) => part === 'database')} />
            </Card>
            <Card id="system-health" title="System Health">
              <Checks checks={data.checks.filter(({ part }) => part !== 'database')} />
            </Card>
            <div className={styles.wide}>
              <CleaningUp leftovers={data.leftovers} />
            </div>
          </div>
          <div className={styles.operations}>
            <OperationsCards operations={data.operations} />
          </div>
          <div className={`row ${styles.again}`}>
            <p className="small-muted" role="status">
              Checked {formatDateTime(data.checkedAt)}
            </p>
            <Button isBusy={isFetching} onClick={() => reload()}>
              Check again
            </Button>
          </div>
        </>
      ) : (
        <RowSkeletons label="Checking the system" height="2.5rem" />
      )}
      <DeadJobList />
      <MailList />
      <ContactMessages />
      <AuditLog />
    </div>
  )
}

function Checks({ checks }: { checks: SystemCheck[] }) {
  return (
    <ul className={styles.checks}>
      {checks.map(({ part, status, detail }) => (
        <Check key={part} name={PARTS[part]} state={STATES[status]}>
          <span className={`small-muted ${styles.detail}`}>{detail}</span>
        </Check>
      ))}
    </ul>
  )
}
