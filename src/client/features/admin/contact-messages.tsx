import type { ContactMessage } from '#shared/admin.ts'
import { messages } from '#shared/messages.ts'
import { formatDateTime } from '#client/lib/dates.ts'
import { ButtonAnchor } from '#client/ui/button.tsx'
import { contactQuery } from './admin.queries.ts'
import { NewestFirst } from './newest-first.tsx'
import styles from './entry.module.css'

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
      {(message) => <MailTemplate message={message} />}
    </NewestFirst>
  )
}

function MailTemplate({ message: { email, subject, message, createdAt } }: { message: ContactMessage }) {
  return (
    <details className={styles.letter}>
      <summary>
        <span className={styles.head}>{subject}</span>
        <span className={styles.meta}>
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
