import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import type { Operations, TaskState, Leftovers, Sweep } from '#shared/admin/admin.ts'
import { formatBytes } from '#shared/messages.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { Card } from '#client/ui/page.tsx'
import { Badge, type Tone } from './badge.tsx'
import { QUEUES, TASKS } from './system-words.ts'
import styles from './system-tab.module.css'

const STATES: Record<TaskState['status'], State> = {
  ok: { word: 'Working', tone: 'positive' },
  failed: { word: 'Failed', tone: 'danger' },
  late: { word: 'Overdue', tone: 'danger' },
  never: { word: 'Not run yet', tone: 'neutral' },
}

/** Queues, scheduled tasks, storage use and incoming payments. */
export function OperationsCards({ operations }: { operations: Operations | null }) {
  if (!operations) {
    return (
      <Card id="operations" title="Queues">
        <p>The queues could not be read. Check again in a minute.</p>
      </Card>
    )
  }
  const { queues, purges, payments, webhook, storage, tasks } = operations
  return (
    <>
      <Card id="queues" title="Queues">
        <p className={`small-muted ${styles.about}`}>
          Work that waits for its turn. These numbers should soon be 0 again; if one keeps growing, look at
          the scheduled jobs and the failed jobs.
        </p>
        <dl className={styles.facts}>
          {queues.map(({ queue, waiting, oldestAt }) => (
            <Fact key={queue} label={QUEUES[queue]}>
              {waiting === null ? 'Not known' : count(waiting)}
              {oldestAt && ` (since ${formatDateTime(oldestAt)})`}
            </Fact>
          ))}
          <Fact label="Hidden pages to clear from the cache">{count(purges.urgent)}</Fact>
          <Fact label="Outdated pages to clear from the cache">{count(purges.other)}</Fact>
        </dl>
      </Card>
      <Card id="card-payments" title="Card Payments">
        <dl className={styles.facts}>
          <Fact label="Failed in the last 7 days">
            <Link to={`${links.admin}?tab=payments&search=failed`}>{count(payments.failed)}</Link>
          </Fact>
          <Fact label="Refunds due">
            <Link to={`${links.admin}?tab=payments&search=refund`}>{count(payments.toRefund)}</Link>
          </Fact>
          <Fact label="Disputed">{count(payments.disputed)}</Fact>
          <Fact label="Last event from Stripe">
            {webhook ? formatDateTime(webhook.receivedAt) : 'None yet'}
            {webhook && webhook.lagSec !== null && (
              <span className={`small-muted ${styles.lag}`}>arrived in {lagOf(webhook.lagSec)}</span>
            )}
          </Fact>
        </dl>
      </Card>
      <Card id="scheduled-jobs" title="Scheduled jobs">
        <ul className={styles.checks}>
          {tasks.filter(isListedHere).map((task) => (
            <Check key={task.task} name={TASKS[task.task].name} state={STATES[task.status]}>
              <span className={`small-muted ${styles.detail}`}>
                {TASKS[task.task].means}
                {task.lastRunAt !== null && ` Last run ${formatDateTime(task.lastRunAt)}, ${task.tookMs} ms.`}
                {adviceOn(task)}
              </span>
            </Check>
          ))}
        </ul>
      </Card>
      <Card id="storage" title="Storage">
        <p className={styles.sum}>
          All memorials together hold {formatSize(storage.bytes)}. Resized copies of photos are not counted.
        </p>
        {storage.largest.length > 0 && (
          <ol className={styles.largest} aria-label="The memorials that hold the most">
            {storage.largest.map(({ memorial, bytes, files }) => (
              <li key={memorial.id} className="row">
                <Link to={links.memorial(memorial.id)}>{memorial.honoureeFullName}</Link>
                <span className="small-muted">
                  {formatSize(bytes)} · {files === 1 ? '1 file' : `${count(files)} files`}
                </span>
              </li>
            ))}
          </ol>
        )}
      </Card>
    </>
  )
}

/** What an operator can do about a task; nothing while it works. */
function adviceOn({ status, requestId }: Pick<TaskState, 'status' | 'requestId'>): string {
  if (status === 'failed')
    return ` The next run tries again. If it keeps failing, search the Worker’s logs for ${requestId}.`
  if (status === 'late') return LATE_ADVICE
  return status === 'never' ? ' Normal on the first day.' : ''
}
const LATE_ADVICE = ' It should have run by now. Check the Worker’s cron triggers in Cloudflare’s dashboard.'

export type State = { word: string; tone: Tone }

/** One line of a list of checks: what was checked, its state, and details. */
export function Check({ name, state, children }: { name: string; state: State; children: ReactNode }) {
  return (
    <li className="row">
      <span className={styles.part}>{name}</span>
      <Badge tone={state.tone}>{state.word}</Badge>
      {children}
    </li>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="small-muted">{label}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** The Clean-up section already shows these sweeps, but not that a run failed. */
const SWEEP_TASKS: Record<Sweep['job'], true> = { uploads: true, parts: true, objects: true, deletions: true }
function isListedHere({ task, status }: TaskState): boolean {
  return status === 'failed' || !Object.hasOwn(SWEEP_TASKS, task)
}

function count(amount: number): string {
  return amount.toLocaleString('en')
}

/** Like {@link formatBytes}, with gigabytes for large values. */
function formatSize(bytes: number): string {
  const gb = bytes / 1024 ** 3
  return gb >= 1 ? `${gb.toLocaleString('en', { maximumFractionDigits: 1 })} GB` : formatBytes(bytes)
}

function lagOf(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
}

/** Leftovers of uploads: how many are pending removal, and when each sweep last ran. */
export function CleaningUp({ leftovers }: { leftovers: Leftovers | null }) {
  return (
    <Card id="clean-up" title="Clean-up">
      {leftovers ? (
        <>
          <ul className={styles.checks}>
            {leftovers.sweeps.map((sweep) => (
              <Check key={sweep.job} name={TASKS[sweep.job].name} state={STATES[sweep.status]}>
                <span className={`small-muted ${styles.detail}`}>
                  {TASKS[sweep.job].means} {lastRun(sweep)}
                  {sweep.status === 'late' && LATE_ADVICE}
                </span>
              </Check>
            ))}
          </ul>
          <dl className={styles.waiting}>
            <Fact label="Uploads in progress">
              {leftovers.uploads} ({formatBytes(leftovers.reservedBytes)} reserved)
            </Fact>
            <Fact label="Abandoned, not discarded yet">{leftovers.expiredUploads}</Fact>
            <Fact label="Files to delete">
              {leftovers.deletions}
              {leftovers.oldestDeletionAt && ` (since ${formatDateTime(leftovers.oldestDeletionAt)})`}
            </Fact>
          </dl>
        </>
      ) : (
        <p>The leftovers could not be counted. Check again in a minute.</p>
      )}
    </Card>
  )
}

function lastRun({ lastRunAt, removed, failed }: Sweep): string {
  if (lastRunAt === null) return 'Its first run is within the hour.'
  const later = failed === 0 ? '' : ` ${failed} could not be deleted; the next run tries again.`
  return `Last run ${formatDateTime(lastRunAt)}: ${removed} deleted.${later}`
}
