import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type FormEvent } from 'react'
import { postCommentInput, type Comment } from '#shared/comments.ts'
import { COMMENT_MAX } from '#shared/limits.ts'
import { messages } from '#shared/messages.ts'
import { errorFields, errorText } from '#client/lib/call.ts'
import type { Author, Contributor } from '#client/lib/contributor.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { Counter, Field } from '#client/ui/field.tsx'
import { useMessageDraft } from './message-draft.ts'
import { postMessage } from './post-message.ts'
import styles from './composer.module.css'

export type Sending = { body: string; key: string }

/**
 * The form for a comment. The text stays on this device until the server has it: as a draft while it is typed, and among
 * the pending messages once it is posted without a connection.
 */
export function Composer({
  memorialId,
  contributor,
  audience,
  onSending,
  onPosted,
}: {
  memorialId: string
  contributor: Contributor
  /** A sentence that says who will be able to read it. */
  audience: string
  /** Called with the message being sent, and with null when sending ends. */
  onSending: (sending: Sending | null) => void
  onPosted: (comment: Comment) => void
}) {
  const [text, setText] = useMessageDraft(memorialId, contributor.writerId)
  const [problem, setProblem] = useState<string>()
  const attempt = useRef<Sending | null>(null)
  const textarea = useRef<HTMLTextAreaElement>(null)
  const post = useMutation({
    mutationFn: ({ body, key, author }: Sending & { author: Author }) =>
      postMessage({ body, key, authorId: author.id, memorialId }, () => setText('')),
    onMutate: onSending,
    onSuccess(posted) {
      attempt.current = null
      setText('')
      // Without a connection it appears in the list below.
      if (posted === null) return
      onPosted(posted)
      showToast({ title: messages.comment.postedTitle })
    },
    onError(error, { body }) {
      const message = errorFields(error)['body'] ?? errorText(error, messages.comment.failedText)
      setText(body)
      setProblem(message)
      showErrorToast(messages.comment.failedTitle, message)
      contributor.onRefused(error)
    },
    onSettled: () => onSending(null),
  })

  async function send(event: FormEvent) {
    event.preventDefault()
    if (post.isPending) return
    const parsed = postCommentInput.safeParse({ body: text })
    if (!parsed.success) {
      setProblem(parsed.error.issues[0]?.message ?? messages.comment.required)
      textarea.current?.focus()
      return
    }
    setProblem(undefined)
    // Store the draft under the current author, even if it was restored from this device.
    setText(text)
    const author = await contributor.identify()
    if (!author) return
    const { body } = parsed.data
    // Sending the same text again reuses the key, so that the comment never appears twice.
    if (attempt.current?.body !== body) attempt.current = { body, key: crypto.randomUUID() }
    post.mutate({ ...attempt.current, author })
  }

  return (
    <form className={styles.composer} onSubmit={(event) => void send(event)} noValidate>
      <Field
        label="Write a message"
        hint={`A memory, a prayer, or simply your name. ${audience}`}
        error={problem}
      >
        {(control) => (
          <textarea
            {...control}
            ref={textarea}
            rows={4}
            // While it is being sent, the message appears in the list below.
            value={post.isPending ? '' : text}
            readOnly={post.isPending}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <div className={styles.foot}>
        <Button type="submit" variant="primary" aria-disabled={post.isPending}>
          Post message
        </Button>
        <Counter text={post.isPending ? '' : text} max={COMMENT_MAX} />
      </div>
      {contributor.displayName && (
        <p className={styles.who}>
          The family sees your name as {contributor.displayName}.
          {contributor.changeName && (
            <Button variant="quiet" className={styles.change} onClick={contributor.changeName}>
              Not you? Change
            </Button>
          )}
        </p>
      )}
    </form>
  )
}
