import { useState, type FormEvent } from 'react'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { isUpcoming } from '#shared/funeral/gatherings.ts'
import { changeForm, withdrawForm } from '#shared/pages/plain-forms.ts'
import type { Reply, ReplyInput } from '#shared/replies/replies.ts'
import { isOpenForReplies } from '#shared/replies/reply-times.ts'
import { usePostedForm } from '#client/lib/server-rendering.ts'
import { Button } from '#client/ui/button.tsx'
import { ActionFailed, Notice } from '#client/ui/notice.tsx'
import { Fold } from './fold.tsx'
import { ReplyForm } from './reply-form.tsx'
import styles from './replies.module.css'

/** What somebody has replied, with the forms that change it and take it back. Without `onChange` and `onWithdraw` the browser sends them. */
export function OwnReply({
  reply,
  gathering,
  action,
  now,
  onChange,
  onWithdraw,
}: {
  reply: Reply
  /** Null if the family shows it to fewer people by now. */
  gathering: FuneralEvent | null
  action: string
  /** When the screen opened. */
  now: number
  onChange?: (input: ReplyInput) => Promise<void>
  onWithdraw?: () => Promise<void>
}) {
  const { id, name, email, answer } = reply
  const isRefused = usePostedForm(changeForm(id)) !== null
  const isWithdrawRefused = usePostedForm(withdrawForm(id)) !== null
  return (
    <div className={styles.own}>
      <Said {...reply} />
      {email !== null && answer !== 'SORRY' && gathering && isUpcoming(gathering, now) && (
        <p className="small-muted">We’ll write to {email} if time or place changes.</p>
      )}
      {gathering && (isRefused || isOpenForReplies(gathering, now)) && (
        // A saved change closes it.
        <Fold key={reply.updatedAt} title="Change" of={name} isOpen={isRefused}>
          <ReplyForm event={gathering} action={action} reply={reply} onSend={onChange} />
        </Fold>
      )}
      <Fold title="Withdraw" of={name} isOpen={isWithdrawRefused}>
        <Withdraw id={id} action={action} onWithdraw={onWithdraw} />
      </Fold>
    </div>
  )
}

function Withdraw({
  id,
  action,
  onWithdraw,
}: {
  id: string
  action: string
  onWithdraw: (() => Promise<void>) | undefined
}) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const posted = usePostedForm(withdrawForm(id))
  async function withdraw(): Promise<void> {
    setBusy(true)
    setError(null)
    try {
      await onWithdraw?.()
    } catch (failure) {
      setError(failure)
      setBusy(false)
    }
  }
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy) void withdraw()
  }
  return (
    <form method="post" action={action} onSubmit={onWithdraw && onSubmit} data-plain>
      <p>{replyMessages.withdrawText}</p>
      <input type="hidden" name="withdraw" value={id} />
      {posted && (
        <Notice kind="error" title={replyMessages.notWithdrawn}>
          <p>{posted.problem.text}</p>
        </Notice>
      )}
      <ActionFailed title={replyMessages.notWithdrawn} error={error} />
      <Button type="submit" variant="danger" isBusy={isBusy}>
        Withdraw this reply
      </Button>
    </form>
  )
}

/** Who says what, and their words to the family. */
export function Said({ name, people, answer, words }: Reply) {
  return (
    <>
      <p>
        <b>
          <bdi>{name}</bdi>: {replyMessages.said(people)[answer]}
        </b>
      </p>
      {words !== null && (
        <p className={styles.words} dir="auto">
          {words}
        </p>
      )}
    </>
  )
}
