import { useId, useState } from 'react'
import type { Media } from '#shared/media/media.ts'
import { MEDIA_TYPES, type MediaType } from '#shared/media/media-types.ts'
import { messages } from '#shared/messages.ts'
import { ADD_CONTROLS, type Contributor } from '#client/lib/contributor.ts'
import { fileInUse } from '#client/lib/upload/check-media.ts'
import { accept } from '#client/lib/upload/file-rules.ts'
import { useKeepsOriginals } from '#client/lib/upload/use-keeps-originals.ts'
import type { UploadItem } from '#client/lib/upload/upload-item.ts'
import { Button } from '#client/ui/button.tsx'
import { FileButton } from '#client/ui/forms/file-button.tsx'
import { KeepOriginals } from '#client/ui/media/keep-originals.tsx'
import { UnfinishedUploads } from '#client/ui/media/unfinished-uploads.tsx'
import { UploadRow } from '#client/ui/media/upload-row.tsx'
import { RecordAudioButton } from '#client/ui/media/voice-recorder.tsx'
import { PlainUpload } from './plain-upload.tsx'
import { remainingQuota, limitsText, maxDurationOf, quotaProblem } from './contributor-limits.ts'
import { useContributorUploads } from './use-contributor-uploads.ts'
import styles from './add-media.module.css'

/** The user chooses the type first, so that a file of another type gets a clear error. */
const KINDS: { type: MediaType; label: string; multiple: boolean }[] = [
  { type: 'IMAGE', label: 'Add photos', multiple: true },
  { type: 'VIDEO', label: 'Add a video', multiple: false },
  { type: 'AUDIO', label: 'Add a recording', multiple: false },
]

/** Uploads by family and friends: choose or drop files, and follow their progress. */
export function AddMedia({
  memorialId,
  contributor,
  onAdded,
  onEdit,
}: {
  memorialId: string
  contributor: Contributor
  onAdded: () => void
  /** Opens the editor for the caption and other texts of an uploaded item. */
  onEdit: (item: Media) => void
}) {
  const { uploads, unfinished, add, retry, remove } = useContributorUploads(memorialId, contributor, onAdded)
  const [isOver, setIsOver] = useState(false)
  const hintId = useId()
  const { quotas } = contributor
  const keepsOriginals = useKeepsOriginals()
  const remaining = quotas && remainingQuota(quotas, uploads)
  const isUsedUp = (type: MediaType) =>
    quotas !== null && quotaProblem(type, remainingQuota(quotas, [])) !== null
  /** What its buttons say of a type: why nothing more can be added, or the limits. */
  const stateOf = (type: MediaType) => ({
    refusal: remaining && quotaProblem(type, { ...remaining }),
    describedBy: isUsedUp(type) ? `${hintId}-${type}` : hintId,
  })
  /** A file that the quota refuses can be sent once there is room again. */
  const mayRetry = ({ canRetry, type }: UploadItem) =>
    canRetry && (type === null || stateOf(type).refusal === null)
  return (
    <div className={styles.add} data-print="no">
      <PlainUpload kinds={KINDS} isUsedUp={isUsedUp} contributor={contributor} />
      <div
        className={`needs-script ${styles.drop} ${isOver ? styles.over : ''}`}
        data-testid="drop-zone"
        onDragOver={(event) => {
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setIsOver(false)
          void add([...event.dataTransfer.files])
        }}
      >
        <div className="row">
          {KINDS.map(({ type, label, multiple }) => (
            <FileButton
              key={type}
              id={type === 'IMAGE' ? ADD_CONTROLS.photos : undefined}
              label={label}
              accept={accept[type]}
              multiple={multiple}
              {...stateOf(type)}
              onFiles={(files) => void add(files, type)}
            />
          ))}
          <RecordAudioButton
            id={ADD_CONTROLS.voice}
            maxSec={maxDurationOf('AUDIO', contributor.sender)}
            {...stateOf('AUDIO')}
            onFile={(file) => void add([file], 'AUDIO')}
          />
        </div>
        {MEDIA_TYPES.filter(isUsedUp).map((type) => (
          <p key={type} className={styles.hint} id={`${hintId}-${type}`}>
            {messages.media.allAdded[type]}
          </p>
        ))}
        <p className={`small-muted ${styles.hint}`} id={hintId}>
          <span className={styles.dropWords}>Or drop files here. </span>
          {quotas && limitsText(quotas)}
        </p>
        <KeepOriginals items={uploads} />
      </div>
      <UnfinishedUploads unfinished={unfinished} />
      {uploads.length > 0 && (
        <ul className={styles.list} aria-label="Files on their way">
          {uploads.map((upload) => (
            <li key={upload.key}>
              <UploadRow
                upload={{ ...upload, ...fileInUse(upload, keepsOriginals) }}
                onRetry={mayRetry(upload) ? () => void retry(upload) : undefined}
                onRemove={upload.state === 'sent' ? undefined : () => remove(upload)}
              >
                {upload.media && <AskForCaption item={upload.media} onEdit={onEdit} />}
              </UploadRow>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Asks for a caption only after the upload, so that it never delays the upload. */
function AskForCaption({ item, onEdit }: { item: Media; onEdit: (item: Media) => void }) {
  return (
    <div className={styles.words}>
      {item.type === 'IMAGE' && <p>What does this photo show? A few words help family who cannot see it.</p>}
      <Button onClick={() => onEdit(item)}>Add a caption</Button>
    </div>
  )
}
