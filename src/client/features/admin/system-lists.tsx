import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdminMail, AdminDeadJob, ContactMessage } from '#shared/admin.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { showToast, showFailure } from '#client/lib/toast-store.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import { invalidateAfter, mailsQuery, deadJobsQuery, contactQuery } from './admin.queries.ts'
import { Badge, type Tone } from './badge.tsx'
import { NewestFirst, useFocusRow } from './lists.tsx'
import styles from './lists.module.css'

/** Labels by mail kind; an unknown kind is shown as is. */
const KINDS: Record<string, string> = {
  verify: 'Confirm your address',
  'already-registered': 'You have an account already',
  reset: 'Choose a new password',
  'password-changed': 'Your password was changed',
  receipt: 'Receipt',
  contact: 'Message from the contact form',
  'memorial-deleted': 'Memorial deleted',
  'account-deleted': 'Account deleted',
}
const STATES: Record<AdminMail['status'], { word: string; tone: Tone }> = {
  QUEUED: { word: 'Waiting', tone: 'neutral' },
  SENT: { word: 'Sent', tone: 'positive' },
  DEAD: { word: 'Given up', tone: 'danger' },
  CANCELLED: { word: 'Cancelled', tone: 'neutral' },
}

/** Mails that failed, each with a resend button, and mails that are still queued. */
export function MailList() {
  return (
    <NewestFirst
      id="mails"
      title="Mails not sent"
      empty={messages.admin.emptyMails}
      more="Load more mails"
      query={mailsQuery}
      itemsOf={(page) => page.mails}
    >
      {(mail) => <Mail mail={mail} />}
    </NewestFirst>
  )
}

function Mail({ mail }: { mail: AdminMail }) {
  const kind = KINDS[mail.kind] ?? mail.kind
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
      showToast({ title: messages.admin.mailResentTitle, text: messages.admin.mailResentText })
      invalidateAfter(client, 'mail')
    },
    onError: (error) => showFailure(messages.admin.actionFailedTitle, error),
  })
  return (
    <Button
      ref={button}
      isBusy={resend.isPending}
      aria-label={`Send again: ${kind}, to ${mail.recipient}`}
      onClick={() => resend.mutate()}
    >
      Send again
    </Button>
  )
}

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
    onError: (error) => showFailure(messages.admin.actionFailedTitle, error),
  })
  return (
    <div className={`row spread ${styles.entry}`}>
      <div>
        <p className={styles.head}>{name}</p>
        <p className={`small-muted ${styles.meta}`}>
          Given up {formatDateTime(diedAt)} · in the log: {requestId}
        </p>
      </div>
      <Button
        isBusy={resend.isPending}
        aria-label={`Try again: ${name}, given up ${formatDateTime(diedAt)}`}
        onClick={() => resend.mutate()}
      >
        Try again
      </Button>
    </div>
  )
}

/** Messages from the contact form; admins answer them by email. */
export function ContactMessages() {
  return (
    <NewestFirst
      id="contact-messages"
      title="Messages from the contact form"
      empty={messages.admin.emptyMessages}
      more="Load more messages"
      query={contactQuery}
      itemsOf={(page) => page.messages}
    >
      {(message) => <ContactMail message={message} />}
    </NewestFirst>
  )
}

function ContactMail({ message: { email, subject, message, createdAt } }: { message: ContactMessage }) {
  return (
    <details className={styles.letter}>
      <summary>
        <span className={styles.head}>{subject}</span>
        <span className={`small-muted ${styles.meta}`}>
          {email} · {formatDateTime(createdAt)}
        </span>
      </summary>
      <p className={styles.body}>{message}</p>
      <ButtonAnchor
        className={styles.reply}
        href={`mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(`Re: ${subject}`)}`}
        aria-label={`Reply to ${email}`}
      >
        Reply
      </ButtonAnchor>
    </details>
  )
}
