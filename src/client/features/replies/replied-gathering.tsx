import type { ReactNode } from 'react'
import { api } from '#shared/api.ts'
import { formatService } from '#shared/dates.ts'
import { addressOf } from '#shared/funeral/directions.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { untilText } from '#shared/funeral/gathering-words.ts'
import { nameOf } from '#shared/funeral/gatherings.ts'
import { pathOf } from '#client/lib/call.ts'
import { ButtonAnchor } from '#client/ui/button.tsx'
import styles from './replies.module.css'

/** When and where a gathering is, above replies to it. `calendarOf`: the memorial whose calendar this browser may read. */
export function RepliedGathering({
  gathering,
  calendarOf,
  invite,
  children,
}: {
  gathering: FuneralEvent
  calendarOf: string | null
  invite?: string | undefined
  children: ReactNode
}) {
  const { id, dateTime, timeZone, venueName, isCancelled } = gathering
  const until = untilText(gathering)
  const place = [venueName, addressOf(gathering)].filter(Boolean).join(', ')
  return (
    <section className={styles.gathering} aria-labelledby={`gathering-${id}`}>
      <h2 id={`gathering-${id}`}>{nameOf(gathering)}</h2>
      {isCancelled && (
        <p>
          <b>This is cancelled.</b>
        </p>
      )}
      <p>
        <time dateTime={dateTime}>{formatService(dateTime, timeZone)}</time>
        {until !== null && `, ${until}`}
      </p>
      {place && <p>{place}</p>}
      {calendarOf !== null && !isCancelled && (
        <p className={styles.actions}>
          <ButtonAnchor
            href={pathOf(api.calendar, { params: { id: calendarOf }, query: { event: id, invite } })}
          >
            Add to calendar
          </ButtonAnchor>
        </p>
      )}
      {children}
    </section>
  )
}
