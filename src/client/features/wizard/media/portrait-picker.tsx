import { useState } from 'react'
import type { Media } from '#shared/media/media.ts'
import { mediaPath } from '#client/lib/links.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { checkMedia, fileToSend, quickProblem } from '#client/lib/upload/check-media.ts'
import { accept, portraitRule, problemText } from '#client/lib/upload/file-rules.ts'
import { FileButton } from '#client/ui/forms/file-button.tsx'
import { LocalImage, UploadRow } from '#client/ui/media/upload-row.tsx'
import type { SingleUpload } from './use-single-upload.ts'
import shared from '../wizard.module.css'
import styles from './media.module.css'

/** The portrait in its 4:5 crop, and a button to choose it. Before the memorial exists, the file waits for it. */
export function PortraitPicker({
  profileMediaId,
  upload,
  onChosen,
  onRemove,
}: {
  profileMediaId: Media['id'] | null
  upload: SingleUpload | null
  /** Called with a promise of the checked file; null if it's refused, which the picker shows. */
  onChosen: (checked: Promise<File | null>) => void
  onRemove: () => void
}) {
  const [problem, setProblem] = useState<string | null>(null)
  async function check(file: File): Promise<File | null> {
    const atOnce = quickProblem(file, portraitRule)
    const checked = atOnce ? null : await checkMedia(file, portraitRule)
    const found = atOnce ?? checked?.problem
    setProblem(found ? problemText(found) : null)
    if (found) showErrorToast(found.title, found.text)
    return checked && !found ? fileToSend(checked) : null
  }
  return (
    <div className={styles.field}>
      <div className={shared.mat}>
        <PortraitImage file={upload?.file ?? null} mediaId={profileMediaId} />
      </div>
      <div>
        <p className={shared.label}>Portrait</p>
        <p className={`small-muted ${shared.hint}`} id="wizard-portrait-hint">
          One photo of them, at most 15 MB. It goes at the top of the page, cropped as shown.
        </p>
        <FileButton
          label={profileMediaId || upload ? 'Choose another portrait' : 'Choose a portrait'}
          accept={accept.IMAGE}
          describedBy="wizard-portrait-hint"
          onFiles={([file]) => file && onChosen(check(file))}
        />
        {problem && <p className={`error-text ${shared.error}`}>{problem}</p>}
      </div>
      {upload && (
        <div className={styles.row}>
          <UploadRow
            upload={upload}
            onRemove={onRemove}
            onRetry={() => onChosen(Promise.resolve(upload.file))}
          />
          {upload.state === 'ready' && (
            <p className={`small-muted ${shared.hint}`}>It will be sent when you press Next.</p>
          )}
        </div>
      )}
    </div>
  )
}

function PortraitImage({ file, mediaId }: { file: File | null; mediaId: string | null }) {
  if (file) return <LocalImage file={file} alt="The chosen portrait" className={shared.portrait} />
  if (mediaId) {
    return (
      <img className={shared.portrait} src={mediaPath(mediaId, 640)} alt="Portrait" width={4} height={5} />
    )
  }
  return <div className={shared.portrait} />
}
