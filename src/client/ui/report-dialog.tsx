import { reportMessages } from '#shared/removal/report-messages.ts'
import type { MEDIA_NOUN, MediaType } from '#shared/media/media-types.ts'
import { showToast } from '#client/lib/toast-store.ts'
import { Button } from './button.tsx'
import { Dialog, DialogActions } from './dialog.tsx'
import { ReportForm } from './report-form.tsx'

/** Asks why somebody reports a message or a media item, and sends it. What they chose and wrote stays if that fails. */
export function ReportDialog({
  noun,
  id,
  onClose,
}: {
  /** What it is: a message, or a kind of media. */
  noun: 'message' | (typeof MEDIA_NOUN)[MediaType]
  id: string
  onClose: () => void
}) {
  return (
    <Dialog title={`Report this ${noun}`} onClose={onClose}>
      <ReportForm
        id={id}
        onSent={() => {
          onClose()
          showToast({ title: reportMessages.thanksTitle, text: reportMessages.thanks })
        }}
      />
      <DialogActions>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
      </DialogActions>
    </Dialog>
  )
}
