import { Link } from 'react-router-dom'
import type { Activity, AdminOverview } from '#shared/admin/admin.ts'
import { api } from '#shared/api.ts'
import { OVERVIEW_DAYS } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { formatDateTime, formatRelative } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { Button } from '#client/ui/button.tsx'
import { Skeleton } from '#client/ui/page.tsx'
import { useReload, useTabData } from './admin.queries.ts'
import { Figures } from './figures.tsx'
import { RowSkeletons } from './lists.tsx'
import { Sparkline } from './sparkline.tsx'
import styles from './console.module.css'

export function OverviewTab() {
  const { data: stats } = useTabData(api.adminStats, {})
  const { data: tokens } = useTabData(api.adminTokens, {})
  const { data: overview } = useTabData(api.adminOverview, {})
  const { data: recent, dataUpdatedAt, isFetching } = useTabData(api.adminActivity, {})
  const reload = useReload(api.adminStats, api.adminTokens, api.adminOverview, api.adminActivity)
  return (
    <>
      <Figures
        figures={[
          ['Total Memorials', stats?.totalMemorials],
          ['Active Memorials', stats?.activeMemorials],
          ['Paid Memorials', stats?.paidMemorials],
          ['Available Tokens', tokens?.availableCount],
        ]}
      />
      <p className={`small-muted ${styles.counted}`}>
        Total: all that are not deleted or removed. Active: paid for, so they can be shared. Paid: active, and
        the payment hasn’t been refunded or disputed.
      </p>
      <ToDo waiting={overview?.waiting} />
      <Charts overview={overview} />
      <section aria-labelledby="recent-activity">
        <div className={`row spread ${styles.head}`}>
          <h2 id="recent-activity">Recent Activity</h2>
          <Button isBusy={isFetching} onClick={() => reload()}>
            Refresh
          </Button>
        </div>
        {!recent && <RowSkeletons label="Loading recent activity" height="2.5rem" />}
        {recent?.activity.length === 0 && <p>{messages.admin.emptyActivity}</p>}
        <ul className={styles.events}>
          {recent?.activity.map((event) => (
            <li key={event.id} className="row">
              <span>
                <Sentence event={event} />
              </span>
              <time className="small-muted" dateTime={event.at} title={formatDateTime(event.at)}>
                {formatRelative(event.at, dataUpdatedAt)}
              </time>
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

/** What waits for an admin, each count with a link to the place where it is done. */
function ToDo({ waiting }: { waiting: AdminOverview['waiting'] | undefined }) {
  const system = `${links.admin}?tab=system`
  const tasks = [
    { label: 'Messages to answer', count: waiting?.messages, to: `${system}#contact-messages` },
    { label: 'Refunds due', count: waiting?.refunds, to: `${links.admin}?tab=payments&search=refund` },
    { label: 'Failed jobs', count: waiting?.failedJobs, to: `${system}#dead-jobs` },
    { label: 'Emails not delivered', count: waiting?.failedMails, to: `${system}#mails` },
  ]
  return (
    <section aria-labelledby="to-do">
      <h2 id="to-do">To do</h2>
      <ul className={`${styles.figures} ${styles.todos}`} aria-busy={!waiting}>
        {tasks.map(({ label, count, to }) => (
          <li key={label}>
            <Link className={`surface ${styles.figure} ${styles.todo} ${count ? styles.due : ''}`} to={to}>
              <span className="small-muted">{label}</span>{' '}
              <strong>{count?.toLocaleString('en') ?? <Skeleton height="1em" width="3ch" />}</strong>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Charts({ overview }: { overview: AdminOverview | undefined }) {
  if (!overview) return <Skeleton height="8rem" />
  const { firstDay, daily } = overview
  return (
    <section aria-labelledby="last-days">
      <h2 id="last-days">The last {OVERVIEW_DAYS} days</h2>
      <p className={`small-muted ${styles.about}`}>
        Contributions are messages, photos, videos and recordings, by owners and relatives.
      </p>
      <div className={styles.charts}>
        <Sparkline label="Memorials" counts={daily.memorials} firstDay={firstDay} />
        <Sparkline label="Payments" counts={daily.payments} firstDay={firstDay} />
        <Sparkline label="Contributions" counts={daily.contributions} firstDay={firstDay} />
      </div>
    </section>
  )
}

function Sentence({ event: { kind, memorial } }: { event: Activity }) {
  const name = memorial ? (
    <Link to={links.memorial(memorial.id)}>{memorial.honoureeFullName}</Link>
  ) : (
    'a deleted memorial'
  )
  switch (kind) {
    case 'account_verified':
      return <>Someone confirmed a new account.</>
    case 'memorial_created':
      return <>A memorial was started for {name}.</>
    case 'memorial_published':
      return <>The memorial for {name} was made public.</>
    case 'payment_paid':
      return memorial ? <>A payment came in for {name}.</> : <>A payment came in (not used yet).</>
    case 'message_posted':
      return <>A message was written for {name}.</>
    default:
      return kind satisfies never
  }
}
