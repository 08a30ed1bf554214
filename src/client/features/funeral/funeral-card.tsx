import { api } from '#shared/api.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { arrange, daysAhead, dateOf, foldedTitle, isLater } from '#shared/funeral/gatherings.ts'
import { GATHERINGS_SHOWN } from '#shared/limits.ts'
import { pathOf } from '#client/lib/call.ts'
import { useOwnOrigin } from '#client/lib/server-rendering.ts'
import { Gathering, PastGathering, type Shared } from './gathering.tsx'
import styles from './gathering.module.css'

/** The gatherings of a memorial: the next one, the others that are ahead, and those that are over, in one line after some days. */
export function FuneralCard({
  id,
  events,
  openedAt,
  feedInvite,
  printPath,
  ...shared
}: Shared & {
  id: string
  /** By time. */
  events: FuneralEvent[]
  /** Decides the order. */
  openedAt: number
  /** The invitation with which a calendar reads the feed; undefined if it needs none, null if it can't. */
  feedInvite: string | null | undefined
  /** The address of all gatherings on one sheet. */
  printPath: string
}) {
  const { upcoming, past, isFolded } = arrange(events, openedAt)
  const next = upcoming.find(({ isCancelled }) => !isCancelled) ?? upcoming[0]
  const inOrder = next ? [next, ...upcoming.filter((event) => event !== next)] : []
  const today = inOrder.filter((event) => daysAhead(event, openedAt) <= 0).length
  const shown = Math.max(GATHERINGS_SHOWN, today)
  const list = (some: FuneralEvent[]) =>
    some.map((event) => (
      <Gathering
        key={event.id}
        event={event}
        isNext={event === next}
        isCompact={upcoming.length > 2 && event !== next}
        {...shared}
      />
    ))
  const others = inOrder.slice(shown)
  const last = others.at(-1)
  const over = past.map((event) => <PastGathering key={event.id} event={event} {...shared} />)
  return (
    <section id={id} className="surface" aria-labelledby={`${id}-title`}>
      <h2 className={next || isFolded ? 'visually-hidden' : styles.title} id={`${id}-title`}>
        {titleOf(events)}
        <span className="visually-hidden"> Details</span>
      </h2>
      {list(inOrder.slice(0, shown))}
      {last && (
        <details className={styles.fold}>
          <summary data-plain>
            {others.length === 1
              ? `1 more gathering, on ${dateOf(last)}`
              : `${others.length} more gatherings, until ${dateOf(last)}`}
          </summary>
          {list(others)}
        </details>
      )}
      {next && (
        <Links
          id={shared.memorialId}
          invite={shared.invite}
          feedInvite={feedInvite}
          printPath={printPath}
          hasCard={upcoming.some(({ audience }) => audience === 'EVERYBODY')}
        />
      )}
      {isFolded ? (
        <details className={styles.fold}>
          <summary data-plain>{foldedTitle(past)}</summary>
          {over}
        </details>
      ) : (
        over
      )}
    </section>
  )
}

/** For all gatherings together. */
function Links({
  id,
  invite,
  feedInvite,
  printPath,
  hasCard,
}: {
  id: string
  invite: string | undefined
  feedInvite: string | null | undefined
  printPath: string
  /** The card to forward shows a gathering: none of those for invited people. */
  hasCard: boolean
}) {
  const origin = useOwnOrigin()
  const card = pathOf(api.announcementCard, { params: { id }, query: { invite } })
  const query = { feed: '1', invite: feedInvite ?? undefined } as const
  const feed = origin + pathOf(api.calendar, { params: { id }, query })
  return (
    <div className={`row tall-links ${styles.links}`}>
      {feedInvite !== null && <Subscribe feed={feed} />}
      {hasCard && <a href={card}>A card to forward</a>}
      <a href={printPath}>Print all gatherings</a>
    </div>
  )
}

/** Many phones with Android have nothing that opens `webcal:`. */
function Subscribe({ feed }: { feed: string }) {
  const webcal = feed.replace(/^https?/u, 'webcal')
  const google = `https://calendar.google.com/calendar/r?cid=${encodeURIComponent(webcal)}`
  return (
    <details className={styles.subscribe}>
      <summary data-plain>Subscribe in your calendar</summary>
      <div className={`row ${styles.links}`}>
        <a href={webcal}>Open your calendar app</a>
        <a href={google} target="_blank" rel="noopener noreferrer">
          Google Calendar
        </a>
      </div>
      <p className="small-muted">
        Or copy this address into your calendar: <span className={styles.address}>{feed}</span>
      </p>
    </details>
  )
}

/** What the section is called: without services of the funeral, it is about gatherings. */
export function titleOf(events: readonly FuneralEvent[]): string {
  return events.every(({ kind }) => isLater(kind)) ? 'Gatherings' : 'Funeral'
}
