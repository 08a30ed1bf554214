import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ContactMessage } from '#shared/admin/admin.ts'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { call } from '#client/lib/call.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { announce, showToast } from '#client/lib/toast-store.ts'
import { Button, ButtonAnchor } from '#client/ui/button.tsx'
import { ActionFailed } from '#client/ui/notice.tsx'
import { contactQueries, invalidateAfter } from './admin.queries.ts'
import { NewestFirst } from './lists.tsx'
import styles from './lists.module.css'

const SECTION = 'contact-messages'
const STATES = [
  { state: 'waiting', label: 'Waiting', empty: messages.admin.emptyMessages },
  { state: 'answered', label: 'Answered', empty: messages.admin.noneAnswered },
] as const

/** Messages from the contact form, waiting or answered. Admins answer by email and mark them here. */
export function ContactMessages() {
  const [shown, setShown] = useState<(typeof STATES)[number]>(STATES[0])
  const { change, error } = useMark()
  return (
    <NewestFirst
      id={SECTION}
      title="Messages from the contact form"
      empty={shown.empty}
      more="Load more messages"
      query={contactQueries[shown.state]}
      itemsOf={(page) => page.messages}
      filter={
        <>
          <div className={`row ${styles.filter}`} role="group" aria-label="Show">
            {STATES.map((one) => (
              <Button key={one.state} aria-pressed={one === shown} onClick={() => setShown(one)}>
                {one.label}
              </Button>
            ))}
          </div>
          <ActionFailed title={messages.admin.actionFailedTitle} error={error} />
        </>
      }
    >
      {(message) => <ContactMail message={message} onMark={(isAnswered) => change(message, isAnswered)} />}
    </NewestFirst>
  )
}

/** Marks a message. Its row leaves the list, so the heading takes the focus; the notification can undo an answer. */
function useMark() {
  const client = useQueryClient()
  const mark = useMutation({
    mutationFn: ({ id, isAnswered }: { id: string; isAnswered: boolean }) =>
      call(isAnswered ? api.answerMessage : api.unanswerMessage, { params: { id } }),
    onSuccess({ id, isAnswered }) {
      if (isAnswered) {
        const undo = { label: 'Undo', run: () => mark.mutate({ id, isAnswered: false }) }
        showToast({ title: messages.admin.answeredTitle, action: undo })
      } else announce(messages.admin.unansweredTitle)
      document.getElementById(SECTION)?.focus()
      invalidateAfter(client, 'message')
    },
  })
  return {
    change: ({ id }: ContactMessage, isAnswered: boolean) => mark.mutate({ id, isAnswered }),
    error: mark.error,
  }
}

function ContactMail({
  message: { email, subject, message, isAnswered, createdAt },
  onMark,
}: {
  message: ContactMessage
  onMark: (isAnswered: boolean) => void
}) {
  return (
    <details className={styles.letter}>
      <summary>
        <span className={styles.head}>{subject}</span>
        <span className={`small-muted ${styles.meta}`}>
          {email} · {formatDateTime(createdAt)}
        </span>
      </summary>
      <p className={styles.body}>{message}</p>
      <div className={`row ${styles.reply}`}>
        <ButtonAnchor
          href={`mailto:${encodeURIComponent(email)}?subject=${encodeURIComponent(`Re: ${subject}`)}`}
          aria-label={`Reply to ${email}`}
        >
          Reply
        </ButtonAnchor>
        <Button
          aria-label={`${isAnswered ? 'Move back to waiting' : 'Mark as answered'}: ${subject}`}
          onClick={() => onMark(!isAnswered)}
        >
          {isAnswered ? 'Move back to waiting' : 'Mark as answered'}
        </Button>
      </div>
    </details>
  )
}
