import { messages } from '#shared/messages.ts'
import { ConfirmDialog } from './dialog.tsx'

/** Asks before a removal that this person can't undo: a contributor's own, once the memorial is public. */
export function ConfirmRemoval({ onConfirm, onClose }: { onConfirm: () => void; onClose: () => void }) {
  return (
    <ConfirmDialog
      title={messages.removed.confirmPublic}
      confirmLabel="Remove"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>{messages.removed.confirmPublicText}</p>
    </ConfirmDialog>
  )
}
