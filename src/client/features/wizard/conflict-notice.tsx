import { useState } from 'react'
import { messages } from '#shared/messages.ts'
import { Button } from '#client/ui/button.tsx'
import { ConfirmDialog } from '#client/ui/dialog.tsx'
import { Notice } from '#client/ui/notice.tsx'

const CONFLICT_ID = 'wizard-conflict'

/** The notice is at the top of the step, the Next button at the bottom, so the notice takes the focus. */
function takeFocus(element: HTMLElement | null): void {
  element?.focus()
}

/** Moves the focus back to the unresolved conflict. */
export function focusConflict(): void {
  takeFocus(document.getElementById(CONFLICT_ID))
}

/** Shown when the same fields changed elsewhere: the user chooses a version, and nothing is overwritten before that. */
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
        <p className="row">
          <Button onClick={onUseNewest}>Show the newer version</Button>
          <Button onClick={onKeepMine}>Keep what I wrote here</Button>
        </p>
      </Notice>
    </div>
  )
}

/** Shown once when a draft from an earlier visit was restored. */
export function RestoredNotice({ onDiscard }: { onDiscard: () => void }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <Notice title="Your words are still here">
      <p>These words are on this device but not saved online yet.</p>
      <Button onClick={() => setAsking(true)}>Discard them</Button>
      {isAsking && (
        <ConfirmDialog
          title="Discard these words?"
          confirmLabel="Yes, discard them"
          onConfirm={onDiscard}
          onClose={() => setAsking(false)}
        >
          <p>What you wrote here and didn’t save is lost. What is saved online stays.</p>
        </ConfirmDialog>
      )}
    </Notice>
  )
}
