import { useRef, useState } from 'react'
import type { Contributor } from '#client/lib/contributor.ts'
import { accept } from '#client/lib/file-rules.ts'
import { Button } from '#client/ui/button.tsx'
import { UploadRow } from '#client/ui/upload-row.tsx'
import { limitsText } from './contributor-limits.ts'
import { useMediaUploads } from './use-media-uploads.ts'
import styles from './add-media.module.css'

/** Where family and friends add what they have: choose or drop files, see them go. */
export function AddMedia({
  memorialId,
  contributor,
  onAdded,
}: {
  memorialId: string
  contributor: Contributor
  onAdded: () => void
}) {
  const { uploads, add, retry, remove } = useMediaUploads(memorialId, contributor, onAdded)
  const [isOver, setIsOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  return (
    <div className={styles['add']}>
      <div
        className={`${styles['drop']} ${isOver ? styles['over'] : ''}`}
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
        <Button onClick={() => input.current?.click()}>Add a photo, video or recording</Button>
        <p className={styles['hint']}>
          <span className={styles['dropWords']}>Or drop files here. </span>
          {contributor.quotas && limitsText(contributor.quotas)}
        </p>
        <input
          ref={input}
          className="visually-hidden"
          type="file"
          multiple
          accept={accept.media}
          tabIndex={-1}
          aria-label="Photos, videos or recordings"
          onChange={(event) => {
            const files = [...(event.target.files ?? [])]
            event.target.value = ''
            void add(files)
          }}
        />
      </div>
      {uploads.length > 0 && (
        <ul className={styles['list']} aria-label="Files on their way">
          {uploads.map((upload) => (
            <li key={upload.key}>
              <UploadRow
                file={upload.file}
                state={upload.state}
                part={upload.part}
                problem={upload.problem}
                onRetry={upload.canRetry ? () => void retry(upload) : undefined}
                onRemove={upload.state === 'sent' ? undefined : () => remove(upload)}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
