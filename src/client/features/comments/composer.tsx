import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type FormEvent } from 'react'
import { api } from '#shared/api.ts'
import type { Comment } from '#shared/comments/comments.ts'
import { COMMENT_BODY } from '#shared/fields.ts'
import { COMMENT_MAX } from '#shared/limits.ts'
import { messages, thanksFor } from '#shared/messages.ts'
import { WORDS_FORM } from '#shared/pages/plain-forms.ts'
import { problemOf } from '#shared/text-rules.ts'
import { WRITTEN_BY_HEADER } from '#shared/ids.ts'
import { PlainSender, PlainThanks } from '#client/ui/forms/plain-sender.tsx'
import { errorFields, errorText, call } from '#client/lib/call.ts'
import { ADD_CONTROLS, type Author, type Contributor } from '#client/lib/contributor.ts'
import { storeMessageDraft, readMessageDraft } from '#client/lib/offline/message-drafts.ts'
import {
  requestBackgroundSync,
  cancelPendingMessage,
  storePendingMessage,
  sendPending,
  watchPendingMessages,
  type PendingMessage,
  type SendResult,
} from '#client/lib/offline/pending-messages.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { useHydrated, usePostedForm, type PostedForm } from '#client/lib/server-rendering.ts'
import { failureKind } from '#client/lib/upload/retry.ts'
import { Button } from '#client/ui/button.tsx'
import { Counter, Field } from '#client/ui/forms/field.tsx'
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
  const refused = usePostedForm(WORDS_FORM)
  const [text, setText] = useMessageDraft(memorialId, contributor.writerId, refused?.values['message'])
  const [problem, setProblem] = useState(refused ? problemOfMessage(refused) : undefined)
  const isHydrated = useHydrated()
  const attempt = useRef<Sending | null>(null)
  const textarea = useRef<HTMLTextAreaElement>(null)
  const post = useMutation({
    mutationFn: ({ body, key, author }: Sending & { author: Author }) =>
      postMessage({ body, key, authorId: author.id, writerId: contributor.writerId, memorialId }, () =>
        setText(''),
      ),
    onMutate: onSending,
    onSuccess(posted) {
      attempt.current = null
      setText('')
      // Without a connection it appears in the list below.
      if (posted === null) return
      onPosted(posted)
      showToast({
        title: messages.comment.postedTitle,
        ...(contributor.sender === 'contributor' && { text: thanksFor(['message']) }),
      })
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
    const found = problemOf(COMMENT_BODY, text)
    if (found !== null) {
      setProblem(found)
      textarea.current?.focus()
      return
    }
    setProblem(undefined)
    // Store the draft under the current author, even if it was restored from this device.
    setText(text)
    const author = await contributor.identify()
    if (!author) return
    const body = COMMENT_BODY.clean(text)
    // Sending the same text again reuses the key, so that the comment never appears twice.
    if (attempt.current?.body !== body) attempt.current = { body, key: crypto.randomUUID() }
    post.mutate({ ...attempt.current, author })
  }

  return (
    <form
      id={WORDS_FORM}
      method="post"
      action={`#${WORDS_FORM}`}
      className={styles.composer}
      onSubmit={(event) => void send(event)}
      noValidate
    >
      <PlainThanks of={(kind) => kind === 'message'} sender={contributor.sender} />
      <Field
        id={ADD_CONTROLS.words}
        label="Write a message"
        hint={`A memory, a prayer, or simply your name. ${audience}`}
        error={problem}
      >
        {(control) => (
          <textarea
            {...control}
            ref={textarea}
            name="message"
            rows={4}
            // While it is being sent, the message appears in the list below.
            value={post.isPending ? '' : text}
            readOnly={post.isPending}
            onChange={(event) => {
              setText(event.target.value)
              setProblem(undefined)
            }}
          />
        )}
      </Field>
      {/* With script, the app asks for the name; a page that the server has refused asks for it here. */}
      {refused && !isHydrated ? (
        <PlainSender form={WORDS_FORM} contributor={contributor} />
      ) : (
        <noscript>
          <PlainSender form={WORDS_FORM} contributor={contributor} />
        </noscript>
      )}
      <div className={`row ${styles.foot}`}>
        <Button type="submit" variant="primary" aria-disabled={post.isPending}>
          Post message
        </Button>
        <Counter text={post.isPending ? '' : text} max={COMMENT_MAX} />
      </div>
      {contributor.displayName && (
        <p className={`small-muted ${styles.who}`}>
          The family sees your name as {contributor.displayName}.{' '}
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

function problemOfMessage({ problem: { text, fields } }: PostedForm): string | undefined {
  return fields['message'] ?? (fields['name'] ? undefined : text)
}

/** The draft of a comment, stored on this device for its author until it is posted. `refused`: what the server has refused. */
function useMessageDraft(
  memorialId: string,
  writerId: string,
  refused = '',
): [text: string, setText: (text: string) => void] {
  const [draft, setDraft] = useState<{ writerId: string; text: string } | null>(null)
  // The server doesn't know this device's drafts.
  const isHydrated = useHydrated()
  // The author changed or gave a name: load their draft, or keep what was typed on this page.
  const isSame = draft?.writerId === writerId
  const text = isSame ? draft.text : isHydrated ? readMessageDraft(writerId, memorialId) : refused
  if (!isSame && isHydrated) setDraft({ writerId, text })
  return [
    text,
    (next) => {
      storeMessageDraft(writerId, memorialId, next)
      setDraft({ writerId, text: next })
    },
  ]
}

type NewMessage = Pick<PendingMessage, 'key' | 'body' | 'memorialId' | 'writerId'> & {
  authorId: string | null
}

/**
 * Posts a new comment. It is first stored on this device (`onStored`). Returns null and keeps it stored if the server can't
 * be reached. If the server rejects it, deletes the stored copy and throws.
 */
async function postMessage(written: NewMessage, onStored: () => void): Promise<Comment | null> {
  const { key, authorId, ...message } = written
  const send = async () => {
    const { comment } = await call(api.postComment, {
      params: { id: message.memorialId },
      body: { body: message.body },
      headers: { 'Idempotency-Key': key, ...(authorId !== null && { [WRITTEN_BY_HEADER]: authorId }) },
    })
    return comment
  }
  const pending = { ...message, key, authorId: authorId ?? '', writtenAt: Date.now(), problem: null }
  if (authorId === null || !(await storePendingMessage(pending))) return send()
  onStored()

  const problem: { error?: unknown } = {}
  // The page may just be sending all that waits, and this one with it.
  let sentWithOthers: Comment | null = null
  const stop = watchPendingMessages(({ posted }) => {
    if (posted?.key === key) sentWithOthers = posted.comment
  })
  const result = await sendPending(async (): Promise<SendResult> => {
    try {
      return { kind: 'sent', comment: await send() }
    } catch (error) {
      problem.error = error
      return { kind: 'later' }
    }
  }, key).finally(stop)
  if (result?.kind === 'sent') return result.comment
  if (sentWithOthers) return sentWithOthers
  if (problem.error !== undefined && failureKind(problem.error) !== 'network') {
    await cancelPendingMessage(key)
    throw problem.error
  }
  void requestBackgroundSync()
  return null
}
