import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { Memorial, Privacy } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import { ApiError, call, errorText } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { PRIVACY_CHOICES } from '#client/lib/privacy.ts'
import { refreshMemorial } from '#client/lib/refresh.ts'
import { showFailure, showToast } from '#client/lib/toast-store.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { PrivacyChoices } from '#client/ui/privacy-choices.tsx'

const DIALOGS = {
  choices: { title: 'Who can see this memorial?', confirmLabel: 'Save', keepLabel: 'Cancel' },
  question: { title: 'Make this memorial public?', confirmLabel: 'Make it public', keepLabel: 'Not now' },
}

/**
 * Changes who can see a memorial. `choose` asks before it makes it public. `button` is "Who can see this", with the
 * dialogs of both; `notice` says that the memorial must be paid for first.
 */
export function useVisibility({ id, privacy, honoureeFullName, isPaid }: Memorial) {
  const client = useQueryClient()
  const [dialog, setDialog] = useState<keyof typeof DIALOGS | null>(null)
  const [chosen, setChosen] = useState(privacy)
  const change = useMutation({
    mutationFn: ({ to }: { to: Privacy; before: Privacy }) =>
      call(api.updatePrivacy, { params: { id }, body: { privacy: to } }),
    async onSuccess(changed, { to, before }) {
      // First, so that the page and the notification say the same.
      await refreshMemorial(client, id)
      showToast({
        title: messages.memorial.privacyUpdatedTitle,
        text: `This memorial is now ${PRIVACY_CHOICES[to].name.toLowerCase()}.${changed.isPaid && !isPaid ? ` ${messages.payment.creditUsed}` : ''}`,
        // Undo never makes a memorial public, because that is asked first.
        action: before === 'LOCKED' ? undefined : { label: 'Undo', run: () => save(before, to) },
      })
    },
    onError(error) {
      if (isUnpaid(error)) return
      showFailure(messages.memorial.updateFailedTitle, error, messages.memorial.updateFailedText)
    },
    onSettled: () => setDialog(null),
  })
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
            <fieldset aria-label={DIALOGS.choices.title}>
              <PrivacyChoices value={chosen} current={privacy} onChoose={setChosen} />
            </fieldset>
          ) : (
            <p>{PRIVACY_CHOICES.LOCKED.explanation}</p>
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
