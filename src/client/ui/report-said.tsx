import { reportMessages } from '#shared/removal/report-messages.ts'
import type { ReportSummary } from '#shared/removal/reports.ts'
import styles from './report-said.module.css'

/** How many people reported an item, why, and what they added. */
export function ReportSaid({ reports: { count, reasons, words } }: { reports: ReportSummary }) {
  return (
    <div className={styles.said}>
      <p>
        {count === 1 ? '1 report' : `${count} reports`}:{' '}
        {reasons
          .map(({ reason, count: people }) =>
            reasons.length === 1
              ? reportMessages.reasons[reason]
              : `${reportMessages.reasons[reason]} (${people})`,
          )
          .join(', ')}
      </p>
      {words.length > 0 && (
        <ul aria-label="What they added">
          {[...new Set(words)].map((one) => (
            <li key={one} dir="auto">
              {one}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
