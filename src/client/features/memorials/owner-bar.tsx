import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { api } from '#shared/api.ts'
import type { Memorial, Privacy } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import { ApiError, call, errorText } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { PortraitButton } from './portrait-button.tsx'
import { PrivacyPill } from './privacy-pill.tsx'
import styles from './owner-bar.module.css'

/** What the toggle does for each privacy setting. */
const TOGGLE: Record<Privacy, { to: Privacy; label: string; does: string }> = {
  LOCKED: {
    to: 'INVITE',
    label: 'Unlock to Invite',
    does: '“Unlock to Invite” closes it to the public: only people with your invitation see it, and they can add to it.',
  },
  INVITE: {
    to: 'LOCKED',
    label: 'Lock',
    does: '“Lock” makes it public: anyone with the public link can see it, and nobody can add to it.',
  },
  PRIVATE: {
    to: 'INVITE',
    label: 'Unlock',
    does: '“Unlock” opens it to people with your invitation: they can see it and add to it.',
  },
}

/** The owner's tools: edit the memorial, see and change its privacy. */
export function OwnerBar({
  memorial,
  mayAdd,
  onChanged,
}: {
  memorial: Memorial
  /** The owner may add media: the privacy is not LOCKED. */
  mayAdd: boolean
  onChanged: () => void
}) {
  const toggle = TOGGLE[memorial.privacy]
  const toggleId = useId()
  const change = useMutation({
    mutationFn: () => call(api.updatePrivacy, { params: { id: memorial.id }, body: { privacy: toggle.to } }),
    onSuccess() {
      showToast({ title: messages.memorial.privacyUpdatedTitle })
      onChanged()
    },
    onError(error) {
      if (isUnpaid(error)) return
      showErrorToast(
        messages.memorial.updateFailedTitle,
        errorText(error, messages.memorial.updateFailedText),
      )
    },
  })
  return (
    <div className={styles.bar}>
      <PrivacyPill privacy={memorial.privacy} />
      <div className={styles.actions}>
        <ButtonLink to={links.editMemorial(memorial.id)} reloadDocument>
          Edit Memorial
        </ButtonLink>
        {/* Not `disabled`: that would lose the focus. */}
        <Button
          aria-describedby={toggleId}
          aria-busy={change.isPending}
          aria-disabled={change.isPending}
          onClick={() => {
            if (!change.isPending) change.mutate()
          }}
        >
          {toggle.label}
        </Button>
        {mayAdd && <PortraitButton memorial={memorial} onChanged={onChanged} />}
      </div>
      <p id={toggleId} className={styles.does}>
        {toggle.does}
      </p>
      {isUnpaid(change.error) && (
        <Notice kind="warning">
          <p>{errorText(change.error, messages.payment.required)}</p>
          <ButtonLink to={links.checkout(memorial.id)} reloadDocument>
            Pay for this memorial
          </ButtonLink>
        </Notice>
      )}
    </div>
  )
}

function isUnpaid(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'payment_required'
}
