import { addressOf } from '#shared/directions.ts'
import { api } from '#shared/api.ts'
import { formatService, wallClock } from '#shared/dates.ts'
import type { FuneralEvent } from '#shared/funeral.ts'
import { isUpcoming, nameOf } from '#shared/gatherings.ts'
import { formatBytes } from '#shared/messages.ts'
import { pathOf } from '#client/lib/call.ts'
import { timeWhereYouAre } from '#client/lib/dates.ts'
import { useHydrated } from '#client/lib/server-rendering.ts'
import { ButtonAnchor } from '#client/ui/button.tsx'
import { directionsUrl } from './service-times.ts'
import styles from './funeral-card.module.css'

type Shared = {
  memorialId: string
  /** Authorises the links while there is no session. */
  invite: string | undefined
  now: number
}

/** The services, sorted by time. */
export function FuneralCard({ id, events, ...rest }: Shared & { id: string; events: FuneralEvent[] }) {
  const isAhead = events.some((event) => isUpcoming(event, rest.now))
  return (
    <section id={id} className="surface" aria-labelledby={`${id}-title`}>
      <h2 className={isAhead ? 'visually-hidden' : styles.title} id={`${id}-title`}>
        Funeral<span className="visually-hidden"> Details</span>
      </h2>
      {events.map((event) => (
        <Service key={event.id} event={event} {...rest} />
      ))}
    </section>
  )
}

/** One funeral service: time and place, with calendar file, directions and programme. */
function Service({ event, memorialId, invite, now }: Shared & { event: FuneralEvent }) {
  const at = wallClock(event.dateTime, event.timeZone)
  const upcoming = isUpcoming(event, now)
  const isHydrated = useHydrated()
  const here = isHydrated ? timeWhereYouAre(event) : null
  const address = addressOf(event)
  const directions = directionsUrl(event)
  // A service that is over is small print: few people still need its links.
  const Action = upcoming ? ButtonAnchor : 'a'
  const files = { params: { id: memorialId }, query: { event: event.id, invite } }
  return (
    <article className={styles.service}>
      <div className={upcoming ? styles.facts : undefined}>
        {upcoming && (
          <div className={styles.day} aria-hidden="true">
            <span>{at.weekday.slice(0, 3)}</span>
            <b>{at.day}</b>
            <span>{shortMonth(at.monthName)}</span>
          </div>
        )}
        <div className={styles.words}>
          <h3>{nameOf(event)}</h3>
          <p>
            {!upcoming && 'Took place on '}
            <time dateTime={event.dateTime}>{formatService(event.dateTime, event.timeZone)}</time>
          </p>
          {upcoming && (
            <p
              className={styles.here}
              data-here={event.dateTime}
              data-zone={event.timeZone}
              suppressHydrationWarning
            >
              {here ?? ''}
            </p>
          )}
          {event.venueName && <p className={styles.venue}>{event.venueName}</p>}
          {address && <p>{address}</p>}
          {event.notes && <p className={styles.notes}>{event.notes}</p>}
        </div>
      </div>
      <div className={upcoming ? `row ${styles.actions}` : `row tall-links ${styles.links}`}>
        {upcoming && <ButtonAnchor href={pathOf(api.calendar, files)}>Add to calendar</ButtonAnchor>}
        {directions && (
          <Action href={directions} target="_blank" rel="noopener noreferrer">
            Directions
          </Action>
        )}
        {event.programFileId && (
          <Action href={pathOf(api.programme, files)}>
            Programme (PDF{event.programSize ? `, ${formatBytes(event.programSize)}` : ''})
          </Action>
        )}
      </div>
    </article>
  )
}

/** Short enough for the date block, which is as wide as "March". */
function shortMonth(name: string): string {
  return name.length > 5 ? name.slice(0, 3) : name
}
