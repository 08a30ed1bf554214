import { useEffect, useRef, useState, type FormEvent } from 'react'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import { messages } from '#shared/messages.ts'
import { DISPLAY_NAME_MAX, REPLY_PEOPLE_MAX, REPLY_WORDS_MAX } from '#shared/limits.ts'
import { changeForm, replyForm } from '#shared/pages/plain-forms.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import type { Reply, ReplyInput } from '#shared/replies/replies.ts'
import { REPLY_ANSWERS, type ReplyAnswer } from '#shared/replies/reply-answers.ts'
import { errorFields, errorText } from '#client/lib/call.ts'
import { usePostedForm } from '#client/lib/server-rendering.ts'
import type { Problem } from '#client/lib/use-form.ts'
import { Button } from '#client/ui/button.tsx'
import { Field, TextField } from '#client/ui/forms/field.tsx'
import { ErrorSummary } from '#client/ui/forms/form.tsx'
import field from '#client/ui/forms/field.module.css'
import styles from './replies.module.css'

const { choices, emailHint, full, refusedTitle } = replyMessages

type ReplyFormProps = {
  event: Pick<FuneralEvent, 'id' | 'isFull'>
  /** The page that takes the form without script. */
  action: string
  /** The reply to change; without it, a new one. */
  reply?: Reply
  /** Whose name and address a new reply probably has. */
  known?: Reply | undefined
  /** This viewer may leave a message in the guestbook. */
  mayLeaveWords?: boolean
  /** Sends it in place of the browser, where the app is here. Throws what `call` does. */
  onSend?: ((input: ReplyInput) => Promise<void>) | undefined
}

/** The form of a reply to a gathering. The browser sends it, unless the app is here. */
export function ReplyForm({ event, action, reply, known, mayLeaveWords = false, onSend }: ReplyFormProps) {
  const name = reply ? changeForm(reply.id) : replyForm(event.id)
  const posted = usePostedForm(name)
  const [problem, setProblem] = useState<Problem | null>(posted?.problem ?? null)
  const [isBusy, setBusy] = useState(false)
  const { fields = {} } = problem ?? {}
  // React would write another default into a field that has the focus.
  const [before] = useState<Values>(() => posted?.values ?? (reply ? valuesOf(reply) : senderOf(known)))
  const written = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (written.current && known) fillIn(written.current, senderOf(known))
  }, [known])
  const idOf = (one: string) => `${name}-${one}`
  const isNoRoom = event.isFull && reply?.answer !== 'COMING'
  const isTaken = (answer: ReplyAnswer) => answer === 'COMING' && isNoRoom

  async function send(form: HTMLFormElement): Promise<void> {
    setBusy(true)
    try {
      await onSend?.(inputOf(new FormData(form)))
      setProblem(null)
    } catch (error) {
      setProblem({ text: errorText(error, messages.system.internal), fields: errorFields(error) })
    } finally {
      setBusy(false)
    }
  }
  const onSubmit = (submitted: FormEvent<HTMLFormElement>) => {
    submitted.preventDefault()
    if (!isBusy) void send(submitted.currentTarget)
  }

  return (
    <form
      ref={written}
      id={name}
      method="post"
      // A wrong number may be hidden; whatever is wrong is said at its field.
      noValidate
      action={action}
      className={styles.form}
      onSubmit={onSend && onSubmit}
      data-plain
    >
      {problem && <ErrorSummary title={refusedTitle} text={problem.text} errors={fields} idOf={idOf} />}
      <input type="hidden" name={reply ? 'change' : 'event'} value={reply?.id ?? event.id} />
      <fieldset className={field.choices} aria-describedby={idOf('answers')}>
        <legend className={reply ? undefined : 'visually-hidden'}>{replyMessages.question}</legend>
        <div id={idOf('answers')}>
          {isNoRoom && <p className={styles.line}>{full}</p>}
          {fields['answer'] && <p className={`error-text ${styles.line}`}>{fields['answer']}</p>}
        </div>
        {REPLY_ANSWERS.map((answer, index) => (
          <label key={answer} className={field.checkbox}>
            <input
              // The first that can be chosen.
              id={index === Number(isNoRoom) ? idOf('answer') : undefined}
              type="radio"
              name="answer"
              value={answer}
              // One that can't be sent would hide that another must be chosen.
              defaultChecked={before['answer'] === answer && !isTaken(answer)}
              disabled={isTaken(answer)}
              required
            />
            <span>{choices[answer]}</span>
          </label>
        ))}
      </fieldset>
      <div className={styles.people}>
        <TextField
          id={idOf('people')}
          label="How many of you are coming?"
          name="people"
          type="number"
          inputMode="numeric"
          min={1}
          max={REPLY_PEOPLE_MAX}
          defaultValue={before['people'] ?? '1'}
          error={fields['people']}
        />
      </div>
      <TextField
        id={idOf('name')}
        label="Your name"
        name="name"
        autoComplete="name"
        maxLength={DISPLAY_NAME_MAX * 2}
        defaultValue={before['name']}
        error={fields['name']}
        required
      />
      <Field id={idOf('words')} label="Words to the family" optional error={fields['words']}>
        {(control) => (
          <textarea
            {...control}
            name="words"
            rows={3}
            // Longer than allowed, so that a paste isn't cut without a word.
            maxLength={REPLY_WORDS_MAX * 2}
            defaultValue={before['words']}
          />
        )}
      </Field>
      {mayLeaveWords && !reply && (
        <label className={`${field.checkbox} ${styles.guestbook}`}>
          <input
            type="checkbox"
            name="inGuestbook"
            value="1"
            defaultChecked={before['inGuestbook'] === '1'}
          />
          <span>Put my words into the guestbook, too</span>
        </label>
      )}
      <TextField
        id={idOf('email')}
        label="Your email"
        optional
        hint={emailHint}
        name="email"
        type="email"
        autoComplete="email"
        defaultValue={before['email']}
        error={fields['email']}
      />
      <Button type="submit" variant="primary" isBusy={isBusy}>
        {reply ? 'Save the change' : 'Send to the family'}
      </Button>
    </form>
  )
}

type Values = Partial<Record<string, string>>

function valuesOf({ answer, people, name, words, email }: Reply): Values {
  return { answer, people: String(people), name, words: words ?? '', email: email ?? '' }
}

function senderOf(known: Reply | undefined): Values {
  return { name: known?.name, email: known?.email ?? '' }
}

/** Fills a name and its address into fields that are still empty. Not while somebody is in them, and not beside another name. */
function fillIn({ elements }: HTMLFormElement, values: Values): void {
  for (const [name, value = ''] of Object.entries(values)) {
    const input = elements.namedItem(name) as HTMLInputElement
    if (input.value === '' && input !== document.activeElement) input.value = value
    if (input.value !== value) return
  }
}

function inputOf(data: FormData): ReplyInput {
  const textOf = (name: string) => {
    const value = data.get(name)
    return typeof value === 'string' ? value : ''
  }
  const answer = textOf('answer') as ReplyAnswer
  return {
    answer,
    // Hidden for whoever stays away.
    people: answer === 'COMING' ? Number(textOf('people')) : 1,
    name: textOf('name'),
    words: textOf('words'),
    email: textOf('email'),
    inGuestbook: data.has('inGuestbook'),
  }
}
