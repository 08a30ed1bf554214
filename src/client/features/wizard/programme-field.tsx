import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { FuneralEvent } from '#shared/funeral.ts'
import { formatBytes, messages } from '#shared/messages.ts'
import { pathOf } from '#client/lib/call.ts'
import { accept, programmeProblem } from '#client/lib/file-rules.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { ButtonAnchor } from '#client/ui/button.tsx'
import { FileButton } from '#client/ui/file-button.tsx'
import { UploadRow } from '#client/ui/upload-row.tsx'
import { useUpload } from './use-upload.ts'
import styles from './wizard.module.css'

/**
 * The printed programme of one service: choose, replace, download. `saveService` answers the ids to send it to, saving the
 * service first where it is new, or null when that cannot be done yet.
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
  /** Gets what is on its way: it ends with whether it arrived. */
  onSending: (sending: Promise<boolean>) => void
  onSaved: (event: FuneralEvent) => void
}) {
  const { upload, send, remove } = useUpload<FuneralEvent>(messages.funeral.uploadFailed)
  const [problem, setProblem] = useState<string | null>(null)

  async function choose(file: File) {
    const found = programmeProblem(file)
    setProblem(found?.text ?? null)
    if (found) {
      showErrorToast(found.title, found.text)
      return
    }
    const target = await saveService()
    if (!target) return
    const sending = send({
      path: pathOf(api.uploadProgramme, { params: { id: target.memorialId } }),
      file,
      fields: { eventId: target.eventId },
    })
    onSending(sending.then((event) => event !== null))
    const event = await sending
    if (!event) return
    onSaved(event)
    showToast({ title: messages.media.uploadSuccessTitle })
  }

  return (
    <div>
      <p className={styles['label']}>Printed programme</p>
      <p className={styles['hint']}>A PDF, at most 15 MB. People who can see the memorial can download it.</p>
      {saved?.programFileId && (
        <p className={styles['programme']}>
          {saved.programFileName ?? 'Programme'}
          {saved.programSize !== null && ` · ${formatBytes(saved.programSize)}`}
        </p>
      )}
      <div className={styles['buttons']}>
        <FileButton
          label={saved?.programFileId ? 'Replace the programme' : 'Choose the programme (PDF)'}
          accept={accept.programme}
          onFiles={([file]) => file && upload?.state !== 'sending' && void choose(file)}
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
      {problem && <p className={styles['error']}>{problem}</p>}
      {upload && <UploadRow {...upload} onRemove={remove} onRetry={() => void choose(upload.file)} />}
    </div>
  )
}
