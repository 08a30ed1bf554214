import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdminMail, AdminDeadJob } from '#shared/admin/admin.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { ActionFailed } from '#client/ui/notice.tsx'
import { invalidateAfter, mailsQuery, deadJobsQuery } from './admin.queries.ts'
import { Badge, type Tone } from './badge.tsx'
import { NewestFirst, useFocusRow } from './lists.tsx'
import { JOBS } from './system-words.ts'
import styles from './lists.module.css'

/** Labels by mail kind, `email` for all about another address; an unknown kind is shown as is. */
const KINDS: Record<string, string> = {
  verify: 'Confirm your address',
  'already-registered': 'You have an account already',
  email: 'Change of address',
  reset: 'Choose a new password',
  'password-changed': 'Your password was changed',
  receipt: 'Receipt',
  refund: 'Refund',
  contact: 'Message from the contact form',
  'memorial-deleted': 'Memorial deleted',
  'memorial-removed': 'Memorial removed by an admin',
  'memorial-restored': 'Memorial restored by an admin',
  'draft-ending': 'Unpaid memorial will be removed',
  'draft-removed': 'Unpaid memorial removed',
  'account-deleted': 'Account deleted',
  waiting: 'Something waits for the owner',
  'visitor-words': 'Link to a visitor’s own words',
  reply: 'Confirmation of a reply',
  'gathering-changed': 'Change of a gathering',
}
const STATES: Record<AdminMail['status'], { word: string; tone: Tone }> = {
  QUEUED: { word: 'Waiting', tone: 'neutral' },
  SENT: { word: 'Sent', tone: 'positive' },
  DEAD: { word: 'Not delivered', tone: 'danger' },
  CANCELLED: { word: 'Cancelled', tone: 'neutral' },
}

/** Emails that failed, each with a resend button, and emails that are still queued. */
export function MailList() {
  return (
    <NewestFirst
      id="mails"
      title="Emails not sent"
      empty={messages.admin.emptyMails}
      more="Load more emails"
      query={mailsQuery}
      itemsOf={(page) => page.mails}
    >
      {(mail) => <Mail mail={mail} />}
    </NewestFirst>
  )
}

function Mail({ mail }: { mail: AdminMail }) {
  const kind = KINDS[mail.kind.replace(/^email-.*/u, 'email')] ?? mail.kind
  const state = STATES[mail.status]
  const tries = mail.attempts === 1 ? '1 try' : `${mail.attempts} tries`
  return (
    <div className={`row spread ${styles.entry}`}>
      <div>
        <p className={styles.head}>
          {kind} <Badge tone={state.tone}>{state.word}</Badge>
        </p>
        <p className={`small-muted ${styles.meta}`}>
          To {mail.recipient} · {formatDateTime(mail.createdAt)} · {tries}
          {mail.lastError !== null && (
            <>
              <br />
              {mail.lastError}
            </>
          )}
        </p>
      </div>
      {mail.status === 'DEAD' && <ResendMailButton mail={mail} kind={kind} />}
    </div>
  )
}

function ResendMailButton({ mail, kind }: { mail: AdminMail; kind: string }) {
  const button = useFocusRow()
  const client = useQueryClient()
  const resend = useMutation({
    mutationFn: () => call(api.resendMail, { params: { id: mail.id } }),
    onSuccess() {
      showToast({ title: messages.admin.mailResentTitle })
      invalidateAfter(client, 'mail')
    },
  })
  return (
    <>
      <Button
        ref={button}
        isBusy={resend.isPending}
        aria-label={`Send again: ${kind}, to ${mail.recipient}`}
        onClick={() => resend.mutate()}
      >
        Send again
      </Button>
      <ActionFailed title={messages.admin.actionFailedTitle} error={resend.error} />
    </>
  )
}

/** Jobs that failed on every attempt, each with a retry button. */
export function DeadJobList() {
  return (
    <NewestFirst
      id="dead-jobs"
      title="Failed jobs"
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
  const { name, means } = JOBS[type] ?? { name: type, means: '' }
  const client = useQueryClient()
  const resend = useMutation({
    mutationFn: () => call(api.resendDeadJob, { params: { id } }),
    onSuccess() {
      showToast({ title: messages.admin.jobResentTitle })
      document.getElementById('dead-jobs')?.focus()
      invalidateAfter(client, 'job')
    },
  })
  return (
    <div className={`row spread ${styles.entry}`}>
      <div>
        <p className={styles.head}>{name}</p>
        <p className={`small-muted ${styles.meta}`}>
          {means} Stopped {formatDateTime(diedAt)}. If it fails again, search the Worker’s logs for{' '}
          {requestId}.
        </p>
      </div>
      <Button
        isBusy={resend.isPending}
        aria-label={`Try again: ${name}, stopped ${formatDateTime(diedAt)}`}
        onClick={() => resend.mutate()}
      >
        Try again
      </Button>
      <ActionFailed title={messages.admin.actionFailedTitle} error={resend.error} />
    </div>
  )
}
