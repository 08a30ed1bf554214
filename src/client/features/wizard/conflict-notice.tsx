import { useState } from 'react'
import { messages } from '#shared/messages.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { Notice } from '#client/ui/notice.tsx'
import styles from './wizard.module.css'

const CONFLICT_ID = 'wizard-conflict'

/** It stands at the top of the step, and Next at its foot. */
function takeFocus(element: HTMLElement | null): void {
  element?.focus()
}

/** Leads back to the choice that is still to be made. */
export function focusConflict(): void {
  takeFocus(document.getElementById(CONFLICT_ID))
}

/** The same words were changed elsewhere: the family chooses which stay. Nothing is overwritten before. */
export function ConflictNotice({
  onUseNewest,
  onKeepMine,
}: {
  onUseNewest: () => void
  onKeepMine: () => void
}) {
  return (
    <div id={CONFLICT_ID} ref={takeFocus} tabIndex={-1}>
      <Notice kind="warning" title="Changed on another device">
        <p>{messages.memorial.editedElsewhere}</p>
        <p className={styles.buttons}>
          <Button onClick={onUseNewest}>Show the newer version</Button>
          <Button onClick={onKeepMine}>Keep what I wrote here</Button>
        </p>
      </Notice>
    </div>
  )
}

/** Told once when words from an earlier visit are shown that were never sent. */
export function RestoredNotice({ onDiscard }: { onDiscard: () => void }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <Notice title="Your words are still here">
      <p>These were kept on this device and are not sent yet.</p>
      <Button onClick={() => setAsking(true)}>Go back to what is saved</Button>
      {isAsking && (
        <ConfirmDialog
          title="Throw these words away?"
          confirmLabel="Throw them away"
          onConfirm={onDiscard}
          onClose={() => setAsking(false)}
        >
          <p>What you wrote here and did not send is lost. What is saved stays.</p>
        </ConfirmDialog>
      )}
    </Notice>
  )
}
