import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Memorial, Privacy, VisitorMessages } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { ApiError, errorText } from '#client/lib/call.ts'
import { changePrivacy } from '#client/lib/change-privacy.ts'
import { links } from '#client/lib/links.ts'
import { PRIVACY_CHOICES } from '#client/lib/privacy.ts'
import { refreshMemorial } from '#client/lib/refresh.ts'
import { showFailure, showToast } from '#client/lib/toast-store.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { PrivacyChoices } from '#client/ui/forms/privacy-choices.tsx'
import { VisitorChoices } from '#client/ui/forms/visitor-choices.tsx'

const DIALOGS = {
  choices: { title: 'Who can see this memorial?', confirmLabel: 'Save', keepLabel: 'Cancel' },
  question: { title: 'Make this memorial public?', confirmLabel: 'Make it public', keepLabel: 'Not now' },
}

/**
 * Changes who can see a memorial. `choose` asks before it makes it public, and whether visitors may then leave messages. `button` is
 * "Who can see this", with the dialogs of both; `notice` says that the memorial must be paid for first.
 */
export function useVisibility(memorial: Memorial) {
  const { id, privacy, honoureeFullName, isPaid } = memorial
  const client = useQueryClient()
  const [dialog, setDialog] = useState<keyof typeof DIALOGS | null>(null)
  const [chosen, setChosen] = useState(privacy)
  /** Null: as saved. Stays after a failure, so that the next try saves what it shows. */
  const [visitorMessages, setVisitorMessages] = useState<VisitorMessages | null>(null)
  const change = useMutation({
    mutationFn: ({ to, before }: { to: Privacy; before: Privacy }) =>
      changePrivacy(id, { privacy: to, visitorMessages }, (changed) => sayChanged(changed, before)),
    onError(error) {
      if (isUnpaid(error)) return
      showFailure(messages.memorial.updateFailedTitle, error, messages.memorial.updateFailedText)
    },
    onSettled: () => setDialog(null),
  })
  async function sayChanged(changed: Memorial, before: Privacy) {
    setVisitorMessages(null)
    // First, so that the page and the notification say the same.
    await refreshMemorial(client, id)
    showToast({
      title: messages.memorial.privacyUpdatedTitle,
      text: `This memorial is now ${PRIVACY_CHOICES[changed.privacy].name.toLowerCase()}.${changed.isPaid && !isPaid ? ` ${messages.payment.creditUsed}` : ''}`,
      // Undo never makes a memorial public, because that is asked first.
      action: before === 'LOCKED' ? undefined : { label: 'Undo', run: () => save(before, changed.privacy) },
    })
  }
  function save(to: Privacy, before: Privacy): void {
    change.mutate({ to, before })
  }
  function choose(to: Privacy, isSure = false) {
    setChosen(to)
    if (to === privacy) setDialog(null)
    else if (to === 'LOCKED' && !isSure) setDialog('question')
    else save(to, privacy)
  }

  const button = (
    <>
      <Button
        aria-label={`Who can see this memorial of ${honoureeFullName}`}
        isBusy={change.isPending}
        onClick={() => {
          setChosen(privacy)
          setDialog('choices')
        }}
      >
        Who can see this
      </Button>
      {dialog && (
        <ConfirmDialog
          key={dialog}
          {...DIALOGS[dialog]}
          variant="primary"
          busy={change.isPending}
          onConfirm={() => choose(chosen, dialog === 'question')}
          onClose={() => setDialog(null)}
        >
          {dialog === 'choices' ? (
            <fieldset aria-label={DIALOGS.choices.title} data-first-focus>
              <PrivacyChoices value={chosen} current={privacy} onChoose={setChosen} />
            </fieldset>
          ) : (
            <>
              <p>{PRIVACY_CHOICES.LOCKED.explanation}</p>
              <VisitorChoices
                value={visitorMessages ?? memorial.visitorMessages}
                onChoose={setVisitorMessages}
              />
            </>
          )}
        </ConfirmDialog>
      )}
    </>
  )
  const notice = isUnpaid(change.error) && (
    <Notice kind="warning" takesFocus>
      <p>{errorText(change.error, messages.payment.required)}</p>
      <ButtonLink to={links.checkout(id)} reloadDocument>
        Pay for this memorial
      </ButtonLink>
    </Notice>
  )
  return { choose, isBusy: change.isPending, button, notice }
}

function isUnpaid(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'payment_required'
}
