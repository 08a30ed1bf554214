import { CLOCK_WORDS } from '#shared/funeral/clock-words.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { endOf } from '#shared/funeral/gatherings.ts'

/** Words that follow the clock. Where the app can't come, the small script says the date instead, as on a day far away. */
export function Clock({
  words,
  event,
  start = event.dateTime,
  now,
}: {
  words: keyof typeof CLOCK_WORDS
  event: FuneralEvent
  /** Another instant than the gathering's start. */
  start?: string
  now: number
}) {
  const end = new Date(endOf(event)).toISOString()
  const say = (at: number) => CLOCK_WORDS[words]({ start, end, zone: event.timeZone }, at)
  return (
    <time dateTime={start} data-clock={say(0)} suppressHydrationWarning>
      {say(now)}
    </time>
  )
}
