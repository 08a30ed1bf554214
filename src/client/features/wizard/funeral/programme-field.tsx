import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { FuneralEvent } from '#shared/funeral/funeral.ts'
import { funeralMessages } from '#shared/funeral/funeral-messages.ts'
import { formatBytes, messages } from '#shared/messages.ts'
import { pathOf } from '#client/lib/call.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { accept, programmeProblem } from '#client/lib/upload/file-rules.ts'
import { ButtonAnchor } from '#client/ui/button.tsx'
import { FileButton } from '#client/ui/forms/file-button.tsx'
import { UploadRow } from '#client/ui/media/upload-row.tsx'
import { useSingleUpload } from '../media/use-single-upload.ts'
import styles from '../wizard.module.css'

/**
 * The printed programme of one service: choose, replace, download. `saveService` saves a new service first and returns the
 * ids for the upload, or null if the service can't be saved yet.
 */
export function ProgrammeField({
  memorialId,
  saved,
  saveService,
  onSending,
  onSaved,
}: {
  memorialId: string | null
  saved: FuneralEvent | undefined
  saveService: () => Promise<{ memorialId: string; eventId: string } | null>
  /** Called with a promise that covers saving the service and the upload; it resolves to whether the upload succeeded. */
  onSending: (sending: Promise<boolean>) => void
  onSaved: (event: FuneralEvent) => void
}) {
  const { upload, send, remove } = useSingleUpload<FuneralEvent>(funeralMessages.uploadFailed)
  const [problem, setProblem] = useState<string | null>(null)

  /** Saves the service if it is new, then uploads its programme. False if either fails. */
  async function sendProgramme(file: File): Promise<boolean> {
    const target = await saveService()
    if (!target) return false
    const event = await send({
      path: pathOf(api.uploadProgramme, { params: { id: target.memorialId } }),
      file,
      fields: { eventId: target.eventId },
    })
    if (!event) return false
    onSaved(event)
    showToast({ title: messages.media.uploadSuccessTitle })
    return true
  }

  function choose(file: File) {
    const found = programmeProblem(file)
    setProblem(found?.text ?? null)
    if (found) showErrorToast(found.title, found.text)
    else onSending(sendProgramme(file))
  }

  return (
    <div>
      <p className={styles.label}>Printed programme</p>
      <p className={`small-muted ${styles.hint}`}>
        A PDF, at most 15 MB. People who can see the memorial can download it.
      </p>
      {saved?.programFileId && (
        <p className={styles.programme}>
          {saved.programFileName ?? 'Programme'}
          {saved.programSize !== null && ` · ${formatBytes(saved.programSize)}`}
        </p>
      )}
      <div className="row">
        <FileButton
          label={saved?.programFileId ? 'Replace the programme' : 'Choose the programme (PDF)'}
          accept={accept.programme}
          onFiles={([file]) => file && upload?.state !== 'sending' && choose(file)}
        />
        {memorialId && saved?.programFileId && (
          <ButtonAnchor
            href={pathOf(api.programme, { params: { id: memorialId }, query: { event: saved.id } })}
            download
          >
            Download
          </ButtonAnchor>
        )}
      </div>
      {problem && <p className={`error-text ${styles.error}`}>{problem}</p>}
      {upload && <UploadRow upload={upload} onRemove={remove} onRetry={() => choose(upload.file)} />}
    </div>
  )
}
