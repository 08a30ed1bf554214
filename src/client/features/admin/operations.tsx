import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import {
  SWEEPS,
  type Operations,
  type Task,
  type TaskState,
  type Leftovers,
  type Sweep,
} from '#shared/admin.ts'
import { formatBytes } from '#shared/messages.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { Card } from '#client/ui/page.tsx'
import { Badge, type Tone } from './badge.tsx'
import styles from './system-tab.module.css'

const TASKS: Record<Task, string> = {
  mails: 'Mails whose turn was lost',
  purges: 'Pages that the edge must forget',
  payments: 'Payments that are not settled',
  left_uploads: 'Uploads that nobody finished',
  deletions: 'Files of removed entries',
  marks: 'Marks in database and storage',
  lost_events: 'News from Stripe that was lost',
  uploads: 'Uploads that were given up',
  parts: 'Parts of broken uploads',
  objects: 'Files that no entry knows',
  accounts: 'Accounts never confirmed',
  removals: 'Removal for good',
}
const STATES: Record<TaskState['status'], State> = {
  ok: { word: 'Working', tone: 'positive' },
  failed: { word: 'Failed', tone: 'danger' },
  late: { word: 'Stands still', tone: 'danger' },
  never: { word: 'Has not run yet', tone: 'neutral' },
}

/** Queues, scheduled tasks, storage use and incoming payments. */
export function OperationsCards({ operations }: { operations: Operations | null }) {
  if (!operations) {
    return (
      <Card id="operations" title="Waiting Work">
        <p>What waits could not be counted.</p>
      </Card>
    )
  }
  const { queues, purges, payments, webhook, storage, tasks } = operations
  return (
    <>
      <Card id="waiting-work" title="Waiting Work">
        <dl className={styles.facts}>
          {queues.map(({ queue, waiting, oldestAt }) => (
            <Fact
              key={queue}
              label={queue === 'jobs' ? 'Mails, removals and other jobs' : 'Sizes of photos to make'}
            >
              {waiting === null ? 'Not known' : count(waiting)}
              {oldestAt && ` (since ${formatDateTime(oldestAt)})`}
            </Fact>
          ))}
          <Fact label="Pages to forget at once">{count(purges.urgent)}</Fact>
          <Fact label="Pages out of date">{count(purges.other)}</Fact>
        </dl>
      </Card>
      <Card id="card-payments" title="Card Payments">
        <dl className={styles.facts}>
          <Fact label="Failed in the last 7 days">
            <Link to={`${links.admin}?tab=payments&search=failed`}>{count(payments.failed)}</Link>
          </Fact>
          <Fact label="To pay back">
            <Link to={`${links.admin}?tab=payments&search=refund`}>{count(payments.toRefund)}</Link>
          </Fact>
          <Fact label="Disputed">{count(payments.disputed)}</Fact>
          <Fact label="Last news from Stripe">
            {webhook ? formatDateTime(webhook.receivedAt) : 'None yet'}
            {webhook && webhook.lagSec !== null && (
              <span className={`small-muted ${styles.lag}`}>{lagOf(webhook.lagSec)} on its way</span>
            )}
          </Fact>
        </dl>
      </Card>
      <Card id="regular-work" title="Regular Work">
        <ul className={styles.checks}>
          {tasks.filter(isListedHere).map((task) => (
            <Check key={task.task} name={TASKS[task.task] ?? task.task} state={STATES[task.status]}>
              {task.lastRunAt !== null && (
                <span className={`small-muted ${styles.detail}`}>
                  Last run {formatDateTime(task.lastRunAt)}, {task.tookMs} ms
                  {task.status === 'failed' && `. In the log: ${task.requestId}`}
                </span>
              )}
            </Check>
          ))}
        </ul>
      </Card>
      <Card id="storage" title="Storage">
        <p className={styles.sum}>
          {formatSize(storage.bytes)} were sent in all memorials together. Sizes made of photos are not
          counted.
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

/** The Cleaning Up section already shows these sweeps, but not that a run failed. */
const SWEEP_TASKS: ReadonlySet<string> = new Set(SWEEPS)
function isListedHere({ task, status }: TaskState): boolean {
  return status === 'failed' || !SWEEP_TASKS.has(task)
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
  if (seconds < 120) return seconds === 1 ? '1 second' : `${seconds} seconds`
  const minutes = Math.round(seconds / 60)
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
}

/** Leftovers of uploads: how many are pending removal, and when each sweep last ran. */
export function CleaningUp({ leftovers }: { leftovers: Leftovers | null }) {
  return (
    <Card id="cleaning-up" title="Cleaning Up">
      {leftovers ? (
        <>
          <ul className={styles.checks}>
            {leftovers.sweeps.map((sweep) => (
              <Check key={sweep.job} name={TASKS[sweep.job]} state={STATES[sweep.status]}>
                <span className={`small-muted ${styles.detail}`}>{lastRun(sweep)}</span>
              </Check>
            ))}
          </ul>
          <dl className={styles.waiting}>
            <Fact label="Uploads on their way">
              {leftovers.uploads} ({formatBytes(leftovers.reservedBytes)} reserved)
            </Fact>
            <Fact label="Given up, not yet removed">{leftovers.expiredUploads}</Fact>
            <Fact label="Files waiting for removal">
              {leftovers.deletions}
              {leftovers.oldestDeletionAt && ` (since ${formatDateTime(leftovers.oldestDeletionAt)})`}
            </Fact>
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
