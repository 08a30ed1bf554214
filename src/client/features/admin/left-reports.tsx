import { reportMessages } from '#shared/removal/report-messages.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import type { AdminReport } from '#shared/removal/reports.ts'
import { call } from '#client/lib/call.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { links, REPORTED } from '#client/lib/links.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { ActionFailed } from '#client/ui/notice.tsx'
import { ReportSaid } from '#client/ui/report-said.tsx'
import { invalidateAfter, reportsQuery } from './admin.queries.ts'
import { NewestFirst } from './lists.tsx'
import styles from './lists.module.css'

const SECTION = 'left-reports'

/** What people reported and the family has left for 7 days, each with a link to the memorial, where it can be removed. */
export function LeftReports() {
  return (
    <NewestFirst
      id={SECTION}
      title="Reports"
      empty={reportMessages.emptyForAdmins}
      more="Load more reports"
      query={reportsQuery}
      itemsOf={(page) => page.reports}
    >
      {(report) => <LeftReport report={report} />}
    </NewestFirst>
  )
}

function LeftReport({ report: { memorial, item, reports } }: { report: AdminReport }) {
  const client = useQueryClient()
  const settle = useMutation({
    mutationFn: () => call(api.keepReported, { params: { id: memorial.id }, body: { itemId: item.id } }),
    onSuccess() {
      showToast({ title: reportMessages.settled })
      document.getElementById(SECTION)?.focus()
      invalidateAfter(client, 'report')
    },
  })
  const what = item.kind === 'comment' ? 'A message' : 'A photo, video or recording'
  return (
    <div className={`row spread ${styles.entry}`}>
      <div>
        <p className={styles.head}>
          {what} on the memorial of {memorial.honoureeFullName}
        </p>
        <ReportSaid reports={reports} />
        <p className={`small-muted ${styles.meta}`}>First reported {formatDateTime(reports.firstAt)}</p>
      </div>
      <div className={`row ${styles.actions}`}>
        <ButtonLink to={`${links.memorial(memorial.id)}#${REPORTED}`}>Look at it</ButtonLink>
        <Button
          isBusy={settle.isPending}
          aria-label={`Nothing to do: ${what} on the memorial of ${memorial.honoureeFullName}`}
          onClick={() => settle.mutate()}
        >
          Nothing to do
        </Button>
      </div>
      <ActionFailed title={messages.admin.actionFailedTitle} error={settle.error} />
    </div>
  )
}
