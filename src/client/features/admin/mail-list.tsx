import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { AdminMail } from '#shared/admin.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call, errorText } from '#client/lib/call.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { invalidateAfter, mailsQuery } from './admin.queries.ts'
import { Badge, type Tone } from './badge.tsx'
import { NewestFirst } from './newest-first.tsx'
import styles from './entry.module.css'
import { useFocusRow } from './use-focus-heir.ts'

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
    <div className={styles.entry}>
      <div>
        <p className={styles.head}>
          {kind} <Badge tone={state.tone}>{state.word}</Badge>
        </p>
        <p className={styles.meta}>
          To {mail.recipient} · {formatDateTime(mail.createdAt)} · {tries}
          {mail.lastError !== null && (
            <>
              <br />
              {mail.lastError}
            </>
          )}
        </p>
      </div>
      {mail.status === 'DEAD' && (
        <ResendButton mail={mail} label={`Send again: ${kind}, to ${mail.recipient}`} />
      )}
    </div>
  )
}

function ResendButton({ mail, label }: { mail: AdminMail; label: string }) {
  const button = useFocusRow()
  const client = useQueryClient()
  const resend = useMutation({
    mutationFn: () => call(api.resendMail, { params: { id: mail.id } }),
    onSuccess() {
      showToast({ title: messages.admin.mailResentTitle, text: messages.admin.mailResentText })
      invalidateAfter(client, 'mail')
    },
    onError: (error) =>
      showErrorToast(messages.admin.actionFailedTitle, errorText(error, messages.system.internal)),
  })
  return (
    <Button
      ref={button}
      aria-disabled={resend.isPending}
      aria-label={label}
      onClick={() => {
        if (!resend.isPending) resend.mutate()
      }}
    >
      Send again
    </Button>
  )
}
