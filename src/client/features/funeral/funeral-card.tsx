import type { FuneralEvent } from '#shared/funeral.ts'
import { Service } from './service.tsx'
import styles from './funeral-card.module.css'

/** The services, sorted by time. */
export function FuneralCard({
  id,
  events,
  ...rest
}: {
  id: string
  events: FuneralEvent[]
  memorialId: string
  invite: string | undefined
  now: number
}) {
  return (
    <section id={id} className={styles.card} aria-labelledby={`${id}-title`}>
      <h2 className="visually-hidden" id={`${id}-title`}>
        Funeral Details
      </h2>
      {events.map((event) => (
        <Service key={event.id} event={event} {...rest} />
      ))}
    </section>
  )
}
