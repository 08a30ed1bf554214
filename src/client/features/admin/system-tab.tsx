import type { SystemCheck } from '#shared/admin/admin.ts'
import { api } from '#shared/api.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { useHashFocus } from '#client/lib/browser/window-hooks.ts'
import { Button } from '#client/ui/button.tsx'
import { Card } from '#client/ui/page.tsx'
import { useReload, useTabData } from './admin.queries.ts'
import { AuditLog } from './audit-log.tsx'
import { ContactMessages } from './contact-messages.tsx'
import { RowSkeletons } from './lists.tsx'
import { LeftReports } from './left-reports.tsx'
import { SuccessionCases } from './succession-cases.tsx'
import { Check, CleaningUp, OperationsCards, type State } from './operations.tsx'
import { DeadJobList, MailList } from './system-lists.tsx'
import { WordRules } from './word-rules.tsx'
import { PART_ADVICE, PARTS } from './system-words.ts'
import styles from './system-tab.module.css'

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
    api.adminReports,
    api.adminAudit,
  )
  useHashFocus(data !== undefined)
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
      <ContactMessages />
      <LeftReports />
      <SuccessionCases />
      <WordRules />
      <DeadJobList />
      <MailList />
      <AuditLog />
    </div>
  )
}

function Checks({ checks }: { checks: SystemCheck[] }) {
  return (
    <ul className={styles.checks}>
      {checks.map(({ part, status, detail }) => (
        <Check key={part} name={PARTS[part]} state={STATES[status]}>
          <span className={`small-muted ${styles.detail}`}>
            {detail} {status === 'failing' && PART_ADVICE[part]}
          </span>
        </Check>
      ))}
    </ul>
  )
}
