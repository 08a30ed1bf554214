import { useEffect, useRef, useState, type ComponentType, type ReactNode } from 'react'
import { PRICE_TEXT } from '#shared/limits.ts'
import type { Privacy, VisitorMessages } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { ApiError } from '#client/lib/call.ts'
import { changePrivacy } from '#client/lib/change-privacy.ts'
import { useMemorialField } from '#client/lib/memorial-field.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { Button } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { PrivacyChoices } from '#client/ui/forms/privacy-choices.tsx'
import { VisitorChoices } from '#client/ui/forms/visitor-choices.tsx'
import { MemorialCheckbox } from './memorial-checkbox.tsx'
import { failStep, fieldId, StepForm, type StepErrors } from './step-form.tsx'
import { keepSaved, toPaid, type Wizard } from './use-wizard.ts'
import shared from './wizard.module.css'

/** Id of the sharing tools. */
export const SHARE_ID = 'share'

/**
 * Step 5: who can see the memorial. `Pay` is the card form while the memorial must be paid for, `onMissingPayment`
 * focuses it. `children` are the sharing tools (with {@link SHARE_ID}), shown once there is a link to share.
 */
export function StepPrivacy({
  wizard,
  hasCredit,
  Pay,
  onMissingPayment,
  children,
}: {
  wizard: Wizard
  /** A payment waits: sharing uses it. */
  hasCredit: boolean
  Pay: ComponentType<{ memorialId: string; onPaid: () => void }>
  onMissingPayment: () => void
  children: ReactNode
}) {
  const memorial = wizard.view?.memorial ?? null
  const saved = memorial?.privacy ?? 'PRIVATE'
  const [privacy, setPrivacy] = useState<Privacy>(saved)
  /** Chosen together with Public and not saved yet, otherwise null. Once it is public, `visitors` saves as soon as it changes. */
  const [visitorMessages, setVisitorMessages] = useState<VisitorMessages | null>(null)
  const visitors = useMemorialField(
    wizard.memorialId,
    'visitorMessages',
    memorial?.visitorMessages ?? 'NOBODY',
    (changed) => keepSaved(wizard, changed),
  )
  const [mustPay, setMustPay] = useState(false)
  const [errors, setErrors] = useState<StepErrors | null>(null)
  const [isBusy, setBusy] = useState(false)
  const isShared = privacy !== 'PRIVATE'
  const usesCredit = hasCredit && memorial?.isPaid === false
  const isUnpaid = mustPay || (memorial !== null && !memorial.isPaid && !usesCredit)
  /** A payment ends in a later render than the one that started it. */
  const latest = useRef(privacy)
  useEffect(() => {
    latest.current = privacy
  }, [privacy])
  const before = useRef(saved)
  useEffect(() => {
    if (before.current !== saved) document.getElementById(SHARE_ID)?.scrollIntoView({ block: 'nearest' })
    before.current = saved
  }, [saved])

  /** Invite-only is saved on press: nobody sees more until they get the link. Public waits for a button. */
  function choose(next: Privacy, isPressed: boolean) {
    setPrivacy(next)
    setErrors(null)
    if (isPressed && next === 'INVITE' && saved === 'PRIVATE' && memorial && !isUnpaid) void write(next)
  }

  /** As `choose`: Invite-only is saved at once, Public waits for a button. */
  function finishPayment() {
    setMustPay(false)
    setErrors(null)
    wizard.changed(toPaid)
    // The card form disappears, and the focus with it. The sharing tools scroll into view by themselves.
    document.getElementById(choiceId(latest.current))?.focus({ preventScroll: true })
    if (latest.current === 'INVITE') void write('INVITE', { isJustPaid: true })
  }

  /** The save button disappears after saving, so the focus moves to the chosen option. */
  async function saveHere() {
    if (await write(privacy)) document.getElementById(choiceId(privacy))?.focus()
  }

  async function write(next: Privacy, { isJustPaid = false } = {}): Promise<boolean> {
    const id = wizard.requireMemorial()
    if (!id || isBusy) return false
    if (next === saved) return true
    setErrors(null)
    setBusy(true)
    try {
      await changePrivacy(id, { privacy: next, visitorMessages }, (changed) => {
        setVisitorMessages(null)
        keepSaved(wizard, changed)
        // "Payment Successful!" stays, and the page shows the rest.
        if (!isJustPaid)
          showToast({
            title: messages.memorial.privacyUpdatedTitle,
            text: memorial?.isPaid === false && changed.isPaid ? messages.payment.creditUsed : undefined,
          })
      })
      return true
    } catch (error) {
      if (error instanceof ApiError && error.code === 'payment_required') setMustPay(true)
      setErrors(failStep(messages.memorial.updateFailedTitle, error, messages.memorial.updateFailedText))
      return false
    } finally {
      setBusy(false)
    }
  }

  return (
    <StepForm
      wizard={wizard}
      facts={{ privacy }}
      missing={`privacy.${privacy}`}
      isBusy={isBusy}
      errors={errors}
      skipLabel={saved === 'PRIVATE' ? 'Finish and keep it private' : 'Finish without changes'}
      incomplete={messages.wizard.chooseOrKeepPrivate}
      onMissing={() =>
        setErrors({ fields: { privacy: messages.wizard.chooseOrKeepPrivate }, isInline: true })
      }
      keepsSkip={privacy !== saved}
      onSkip={() => wizard.requireMemorial() && wizard.skip()}
      onSave={async () => {
        if (isUnpaid) onMissingPayment()
        else if (await write(privacy)) wizard.finish()
      }}
      above={
        <>
          {usesCredit && !mustPay && (
            <Notice kind="success" title={messages.payment.creditTitle}>
              <p>{messages.payment.creditForShared}</p>
            </Notice>
          )}
          <fieldset aria-describedby={errors?.fields['privacy'] ? fieldId('privacy-error') : undefined}>
            <legend className={shared.legend}>Who can see this memorial?</legend>
            {errors?.fields['privacy'] && (
              <p className={`error-text ${shared.hint}`} id={fieldId('privacy-error')}>
                {errors.fields['privacy']}
              </p>
            )}
            <PrivacyChoices value={privacy} idOf={choiceId} onChoose={choose} />
            <p className={`small-muted ${shared.hint}`}>You can change this later.</p>
          </fieldset>
          {isShared && isUnpaid && memorial && (
            <>
              <PayFirst />
              <Pay memorialId={memorial.id} onPaid={finishPayment} />
            </>
          )}
          {privacy === 'LOCKED' && !isUnpaid && (
            <VisitorChoices
              value={visitorMessages ?? visitors.value}
              onChoose={saved === 'LOCKED' ? visitors.save : setVisitorMessages}
            />
          )}
          {privacy !== saved && !isUnpaid && (
            <p>
              <Button aria-disabled={isBusy} onClick={() => void saveHere()}>
                {isShared ? 'Save and show the link' : 'Save: only I can see it'}
              </Button>
            </p>
          )}
          {isShared && privacy === saved && children}
          {privacy === 'INVITE' && privacy === saved && (
            <MemorialCheckbox
              wizard={wizard}
              name="showInvitePreview"
              label="Show the name and face in the preview"
              hint="In a chat, the invitation then shows their name, years and portrait. If not, it only says “An invitation from the family”."
            />
          )}
          {privacy === 'LOCKED' && privacy === saved && (
            <MemorialCheckbox
              wizard={wizard}
              name="allowSearchEngines"
              label="Let search engines find this page"
              hint="Otherwise only people with the link find it."
            />
          )}
        </>
      }
    />
  )
}

const choiceId = (privacy: Privacy) => fieldId(`privacy.${privacy}`)

function PayFirst() {
  return (
    <Notice kind="warning">
      <p>{messages.payment.required}</p>
      <p>
        Until then you can go on working on it, and only you can see it. It costs {PRICE_TEXT} once, with no
        monthly fee.
      </p>
    </Notice>
  )
}
