import { useId, useState } from 'react'
import { otherFile } from '#shared/messages.ts'
import { accept } from '#client/lib/upload/file-rules.ts'
import type { PersistedUpload } from '#client/lib/upload/persisted-uploads.ts'
import type { UnfinishedUploads as Uploads } from '#client/lib/upload/use-upload-queue.ts'
import { Button } from '../button.tsx'
import { FileButton } from '../forms/file-button.tsx'
import styles from './unfinished-uploads.module.css'

/** Uploads from earlier visits whose files are not on this device. Each resumes when the user picks its file again. */
export function UnfinishedUploads({ unfinished: { items, choose, discard } }: { unfinished: Uploads }) {
  if (items.length === 0) return null
  return (
    <ul className={styles.list} aria-label="Not sent to the end">
      {items.map((upload) => (
        <li key={upload.key} className={styles.row}>
          <UnfinishedUpload
            upload={upload}
            onFile={async (file) => choose(upload, file)}
            onDiscard={() => discard(upload)}
          />
        </li>
      ))}
    </ul>
  )
}

function UnfinishedUpload({
  upload: { name, type, safe, size },
  onFile,
  onDiscard,
}: {
  upload: PersistedUpload
  onFile: (file: File) => Promise<boolean>
  onDiscard: () => void
}) {
  const id = useId()
  const [isOther, setOther] = useState(false)
  return (
    <>
      <p className={styles.words} id={id}>
        Continue sending <em>{name}</em> ({Math.floor((safe / size) * 100)} %)
      </p>
      {isOther && (
        <p className={styles.problem} role="alert">
          {otherFile(name)}
        </p>
      )}
      <div className={`row ${styles.actions}`}>
        <FileButton
          label={`Choose ${name}`}
          accept={accept[type]}
          onFiles={([file]) => {
            setOther(false)
            if (file) void onFile(file).then((isSame) => setOther(!isSame))
          }}
        />
        <Button variant="quiet" onClick={onDiscard} aria-describedby={id}>
          Forget it
        </Button>
      </div>
    </>
  )
}
