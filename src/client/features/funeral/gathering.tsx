import type { ReactNode } from 'react'
import { api } from '#shared/api.ts'
import { wallClock } from '#shared/dates.ts'
import { addressOf } from '#shared/funeral/directions.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { changeOf, untilText } from '#shared/funeral/gathering-words.ts'
import { daysAhead, nameOf } from '#shared/funeral/gatherings.ts'
import { gatheringMessages } from '#shared/funeral/gathering-messages.ts'
import { formatBytes } from '#shared/messages.ts'
import { pathOf } from '#client/lib/call.ts'
import { timeWhereYouAre } from '#client/lib/dates.ts'
import { useHydrated } from '#client/lib/server-rendering.ts'
import { useNow } from '#client/lib/use-now.ts'
import { ButtonAnchor } from '#client/ui/button.tsx'
import { Clock } from './clock.tsx'
import { KindIcon } from './kind-icon.tsx'
import { directionsUrl } from './service-times.ts'
import { linkToWatch, Watch } from './watch.tsx'
import styles from './gathering.module.css'

/** Asks who is coming to a gathering, and shows whoever replied what they said. */
export type RenderReplies = (gathering: {
  event: FuneralEvent
  memorialId: string
  invite: string | undefined
}) => ReactNode

export type Shared = {
  memorialId: string
  /** Authorises the links while there is no session. */
  invite: string | undefined
  renderReplies?: RenderReplies | undefined
}

/** A gathering that isn't over. `isNext`: the first that takes place. `isCompact`: until its day, the rest of what the family tells is in a fold. */
export function Gathering({
  event,
  isNext,
  isCompact,
  memorialId,
  invite,
  renderReplies,
}: Shared & { event: FuneralEvent; isNext: boolean; isCompact: boolean }) {
  const now = useNow()
  const at = wallClock(event.dateTime, event.timeZone)
  const isToday = daysAhead(event, now) <= 0
  const { isCancelled, takesReplies } = event
  const until = untilText(event)
  const address = addressOf(event)
  const stream = linkToWatch(event, false)
  return (
    <article
      className={`${styles.gathering} ${isNext ? styles.next : ''} ${isCancelled ? styles.cancelled : ''}`}
    >
      <div className={styles.facts}>
        <div className={styles.day} aria-hidden="true">
          <span>{at.weekday.slice(0, 3)}</span>
          <b>{at.day}</b>
          <span>{shortMonth(at.monthName)}</span>
        </div>
        <div className={styles.words}>
          <h3>
            <KindIcon kind={event.kind} />
            {nameOf(event)}
          </h3>
          {isCancelled && <Cancelled event={event} now={now} />}
          <p className={styles.when}>
            <Clock words="when" event={event} now={now} />
            {until && `, ${until}`}
          </p>
          <WhereYouAre event={event} />
          {!isCancelled && <Changed event={event} now={now} />}
          {event.venueName && <p className={styles.venue}>{event.venueName}</p>}
          {address && <p>{address}</p>}
          {event.audience === 'INVITED' && <p>{gatheringMessages.invitedOnly}</p>}
          <More event={event} isFolded={isCompact && !isToday} />
        </div>
      </div>
      {!isCancelled && (
        <>
          <div className={`row ${styles.actions}`}>
            <Actions event={event} memorialId={memorialId} invite={invite} isToday={isToday} />
          </div>
          {stream && (
            <div className={styles.stream}>
              <Watch url={stream} isRecording={false} isMain={isToday} />
              <p>
                <Clock words="stream" event={event} now={now} />
              </p>
            </div>
          )}
        </>
      )}
      {takesReplies && renderReplies?.({ event, memorialId, invite })}
    </article>
  )
}

type Linked = { event: FuneralEvent; memorialId: string; invite: string | undefined }

/** On its day people are on their way: then the calendar comes last. */
function Actions({ event, memorialId, invite, isToday }: Linked & { isToday: boolean }) {
  const calendar = pathOf(api.calendar, { params: { id: memorialId }, query: { event: event.id, invite } })
  const save = (
    <ButtonAnchor key="calendar" href={calendar}>
      Add to calendar
    </ButtonAnchor>
  )
  const variant = isToday ? 'primary' : undefined
  const directions = directionsUrl(event)
  const programme = programmeOf({ event, memorialId, invite })
  return (
    <>
      {!isToday && save}
      {directions && (
        <ButtonAnchor variant={variant} href={directions} target="_blank" rel="noopener noreferrer">
          Directions
        </ButtonAnchor>
      )}
      {programme && (
        <ButtonAnchor variant={variant} href={programme.href}>
          {programme.label}
        </ButtonAnchor>
      )}
      {isToday && save}
    </>
  )
}

/** A gathering that is over: small print, because few people still need it. */
export function PastGathering({
  event,
  memorialId,
  invite,
  renderReplies,
}: Shared & { event: FuneralEvent }) {
  const address = addressOf(event)
  const directions = directionsUrl(event)
  const programme = programmeOf({ event, memorialId, invite })
  const recording = linkToWatch(event, true)
  return (
    <article className={`${styles.gathering} ${styles.past}`}>
      <div className={styles.words}>
        <h3>{nameOf(event)}</h3>
        <p>
          {event.isCancelled ? 'Cancelled; it was planned for ' : 'Took place on '}
          {/* Far from its day this is its date. */}
          <Clock words="when" event={event} now={0} />
        </p>
        {event.venueName && <p className={styles.venue}>{event.venueName}</p>}
        {address && <p>{address}</p>}
        {event.notes && <p className={styles.notes}>{event.notes}</p>}
      </div>
      {recording && <Watch url={recording} isRecording isMain={false} />}
      {!event.isCancelled && (
        <div className={`row tall-links ${styles.links}`}>
          {directions && (
            <a href={directions} target="_blank" rel="noopener noreferrer">
              Directions
            </a>
          )}
          {programme && <a href={programme.href}>{programme.label}</a>}
        </div>
      )}
      {event.takesReplies && renderReplies?.({ event, memorialId, invite })}
    </article>
  )
}

function programmeOf({ event, memorialId, invite }: Linked): { href: string; label: string } | null {
  if (event.programFileId === null) return null
  const size = event.programSize ? `, ${formatBytes(event.programSize)}` : ''
  return {
    href: pathOf(api.programme, { params: { id: memorialId }, query: { event: event.id, invite } }),
    label: `Programme (PDF${size})`,
  }
}

function Cancelled({ event, now }: { event: FuneralEvent; now: number }) {
  const { change } = event
  return (
    <p className={styles.notice}>
      <b>Cancelled</b>
      {change && !change.isCancelled && (
        <>
          {' '}
          <Clock words="changed" event={event} start={change.at} now={now} />
        </>
      )}
    </p>
  )
}

function Changed({ event, now }: { event: FuneralEvent; now: number }) {
  const change = changeOf(event)
  if (change === null) return null
  return (
    <p className={styles.notice}>
      <b>
        Changed <Clock words="changed" event={event} start={change.at} now={now} />: {change.now}
      </b>
      {change.before && <small> ({change.before})</small>}
    </p>
  )
}

function WhereYouAre({ event }: { event: FuneralEvent }) {
  const isHydrated = useHydrated()
  const here = isHydrated ? timeWhereYouAre(event) : null
  return (
    <p className={styles.here} data-here={event.dateTime} data-zone={event.timeZone} suppressHydrationWarning>
      {here ?? ''}
    </p>
  )
}

/** What the family tells those who come. */
function More({ event, isFolded }: { event: FuneralEvent; isFolded: boolean }) {
  const { dress, bring, wayThere, contact, notes } = event
  const lines = [
    ['Getting there', wayThere],
    ['Dress', dress],
    ['Please bring', bring],
    ['Questions', contact],
    ['', notes],
  ] as const
  const said = lines.flatMap(([label, text]) =>
    text === null
      ? []
      : [
          <p key={label} className={styles.notes}>
            {label && <b>{label}: </b>}
            {text}
          </p>,
        ],
  )
  if (!isFolded || said.length === 0) return said
  return (
    <details>
      <summary data-plain>{wayThere === null ? 'More about it' : 'Getting there, and more'}</summary>
      {said}
    </details>
  )
}

/** Short enough for the date block, which is as wide as "March". */
function shortMonth(name: string): string {
  return name.length > 5 ? name.slice(0, 3) : name
}
