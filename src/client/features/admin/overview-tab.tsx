import { Link } from 'react-router-dom'
import type { Activity } from '#shared/admin.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { formatDateTime, formatRelative } from '#client/lib/dates.ts'
import { links } from '#client/lib/links.ts'
import { Button } from '#client/ui/button.tsx'
import { useReload, useTabData } from './admin.queries.ts'
import { Figures } from './figures.tsx'
import { RowSkeletons } from './lists.tsx'
import styles from './console.module.css'

export function OverviewTab() {
  const { data: stats } = useTabData(api.adminStats, {})
  const { data: tokens } = useTabData(api.adminTokens, {})
  const { data: recent, dataUpdatedAt, isFetching } = useTabData(api.adminActivity, {})
  const reload = useReload(api.adminStats, api.adminTokens, api.adminActivity)
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

function Sentence({ event: { kind, memorial } }: { event: Activity }) {
  const name = memorial ? (
    <Link to={links.memorial(memorial.id)}>{memorial.honoureeFullName}</Link>
  ) : (
    'a memorial that is gone'
  )
  switch (kind) {
    case 'account_verified':
      return <>Somebody confirmed a new account.</>
    case 'memorial_created':
      return <>A memorial was begun for {name}.</>
    case 'memorial_published':
      return <>The memorial for {name} was made public.</>
    case 'payment_paid':
      return memorial ? <>A payment came in for {name}.</> : <>A payment came in, for a memorial to come.</>
    case 'message_posted':
      return <>A message was written for {name}.</>
    default:
      return kind satisfies never
  }
}
