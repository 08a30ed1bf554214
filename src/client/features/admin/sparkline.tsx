import { useId } from 'react'
import { DAY_MS } from '#shared/limits.ts'
import { formatCalendarDate } from '#shared/dates.ts'
import styles from './console.module.css'

/** Units of the drawing: one per day across, this many up. */
const HEIGHT = 24
/** A day with one of many must still be visible. */
const SMALLEST = 2

/** The counts of the last days as small bars, with their sum. One count per day, from `firstDay` (`YYYY-MM-DD`) on. */
export function Sparkline({
  label,
  counts,
  firstDay,
}: {
  label: string
  counts: readonly number[]
  firstDay: string
}) {
  const id = useId()
  const total = counts.reduce((sum, count) => sum + count, 0)
  const bars = counts.map((count, day) =>
    count === 0 ? '' : `M${day + 0.5} ${HEIGHT}v-${heightOf(count, counts)}`,
  )
  return (
    <figure className={`surface ${styles.spark}`} aria-labelledby={id}>
      <figcaption id={id} className="row spread">
        <span className="small-muted">{label}</span>
        <strong>{total.toLocaleString('en')}</strong>
      </figcaption>
      <svg
        viewBox={`0 0 ${counts.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={inWords(counts, firstDay)}
      >
        <path d={bars.join('')} />
        <path className={styles.base} d={`M0 ${HEIGHT}h${counts.length}`} />
      </svg>
    </figure>
  )
}

function heightOf(count: number, counts: readonly number[]): number {
  return Math.max(SMALLEST, Math.round((count / Math.max(...counts)) * HEIGHT))
}

/** "12 in 90 days. Most on 3 November 2026: 4. In the last 7 days: 2." */
function inWords(counts: readonly number[], firstDay: string): string {
  const sum = (some: readonly number[]) => some.reduce((total, count) => total + count, 0)
  if (sum(counts) === 0) return `None in ${counts.length} days.`
  const most = Math.max(...counts)
  const day = new Date(Date.parse(firstDay) + counts.lastIndexOf(most) * DAY_MS).toISOString().slice(0, 10)
  return `${sum(counts)} in ${counts.length} days. Most on ${formatCalendarDate(day)}: ${most}. In the last 7 days: ${sum(counts.slice(-7))}.`
}
