import { useId, useLayoutEffect, useRef, useState, type FormEvent } from 'react'
import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { ADDRESS_FORM } from '#shared/pages/plain-forms.ts'
import { EMAIL_ADDRESS, problemOf } from '#shared/text-rules.ts'
import type { Contributor } from '#client/lib/contributor.ts'
import { call, errorFields, errorText } from '#client/lib/call.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { EmailField } from '#client/ui/forms/field.tsx'
import { againPath } from './again-path.ts'
import { useOwnSession } from './own-session.ts'
import styles from './ask-address.module.css'

/**
 * Asks a relative who has added something for an address, by which another phone knows them again. Without the app, the browser sends the form to a
 * page of its own. Any answer ends the question.
 */
export function AskAddress({ memorialId, contributor }: { memorialId: string; contributor: Contributor }) {
  const isNamed = contributor.sender === 'contributor' && contributor.displayName !== null
  const own = useOwnSession(memorialId, contributor.sessionId, isNamed && contributor.mayAdd)
  if (own.data?.address !== 'ASK') return null
  return <Question memorialId={memorialId} onAnswered={() => void own.refetch()} />
}

function Question({ memorialId, onAnswered }: { memorialId: string; onAnswered: () => void }) {
  const titleId = useId()
  const form = useRef<HTMLFormElement>(null)
  // It appears a moment after the message that has the focus then, and must not push that out of the window.
  useLayoutEffect(() => {
    const focused = document.activeElement
    const place = focused ? form.current?.compareDocumentPosition(focused) : 0
    if (place === Node.DOCUMENT_POSITION_FOLLOWING) focused?.scrollIntoView({ block: 'nearest' })
  }, [])
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  async function keep(email: string): Promise<void> {
    setBusy(true)
    try {
      await call(api.keepAddress, { params: { id: memorialId }, body: { email } })
      if (email !== '') showToast({ title: 'Your address is saved' })
      onAnswered()
    } catch (error) {
      setProblem(errorFields(error)['email'] ?? errorText(error, messages.system.internal))
      setBusy(false)
    }
  }
  function onSubmit(event: FormEvent<HTMLFormElement> & { nativeEvent: { submitter?: HTMLElement | null } }) {
    event.preventDefault()
    if (isBusy) return
    const isNo = event.nativeEvent.submitter?.getAttribute('name') === 'no'
    const typed = new FormData(event.currentTarget).get('email')
    const email = isNo || typeof typed !== 'string' ? '' : typed
    const found = isNo ? null : problemOf(EMAIL_ADDRESS, email)
    setProblem(found ?? undefined)
    if (found === null) void keep(email)
  }
  return (
    <form
      ref={form}
      method="post"
      action={againPath(memorialId)}
      className={styles.question}
      aria-labelledby={titleId}
      onSubmit={onSubmit}
      noValidate
    >
      <input type="hidden" name="form" value={ADDRESS_FORM} />
      <p id={titleId} className={styles.title}>
        If you change phones, should we know you again?
      </p>
      <EmailField
        name="email"
        optional
        hint="Your new phone then gets a code by email. The family won’t see your address."
        error={problem}
        onChange={() => setProblem(undefined)}
      />
      <div className="row">
        <Button type="submit" aria-disabled={isBusy}>
          Save my address
        </Button>
        <Button type="submit" variant="quiet" name="no" value="1" aria-disabled={isBusy}>
          No, thanks
        </Button>
      </div>
    </form>
  )
}
