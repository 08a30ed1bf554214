import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdminDeadJob } from '#shared/admin.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call, errorText } from '#client/lib/call.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { deadJobsQuery, invalidateAfter } from './admin.queries.ts'
import { NewestFirst } from './newest-first.tsx'
import styles from './entry.module.css'

/** Labels by job type; an unknown type is shown as is. */
const TYPES: Record<string, string> = {
  'delete-objects': 'Delete the files of a removed entry',
  'make-pictures': 'Make the sizes of a photo',
  'purge-cache': 'Have the edge forget pages',
  'purge-deleted': 'Remove for good what is due',
}

/** Jobs that failed on every attempt, each with a retry button. */
export function DeadJobList() {
  return (
    <NewestFirst
      id="dead-jobs"
      title="Work that failed"
      empty={messages.admin.emptyDeadJobs}
      more="Load more"
      query={deadJobsQuery}
      itemsOf={(page) => page.jobs}
    >
      {(job) => <DeadJob job={job} />}
    </NewestFirst>
  )
}

function DeadJob({ job: { id, type, diedAt, requestId } }: { job: AdminDeadJob }) {
  const name = TYPES[type] ?? type
  const client = useQueryClient()
  const resend = useMutation({
    mutationFn: () => call(api.resendDeadJob, { params: { id } }),
    onSuccess() {
      showToast({ title: messages.admin.jobResentTitle, text: messages.admin.jobResentText })
      document.getElementById('dead-jobs')?.focus()
      invalidateAfter(client, 'job')
    },
    onError: (error) =>
      showErrorToast(messages.admin.actionFailedTitle, errorText(error, messages.system.internal)),
  })
  return (
    <div className={styles.entry}>
      <div>
        <p className={styles.head}>{name}</p>
        <p className={styles.meta}>
          Given up {formatDateTime(diedAt)} · in the log: {requestId}
        </p>
      </div>
      <Button
        aria-disabled={resend.isPending}
        aria-label={`Try again: ${name}, given up ${formatDateTime(diedAt)}`}
        onClick={() => {
          if (!resend.isPending) resend.mutate()
        }}
      >
        Try again
      </Button>
    </div>
  )
}
