import { useId, useState } from 'react'
import { otherFile } from '#shared/messages.ts'
import { accept } from '#client/lib/file-rules.ts'
import type { KeptUpload } from '#client/lib/kept-uploads.ts'
import type { LeftUploads } from '#client/lib/use-kept-uploads.ts'
import { Button } from './button.tsx'
import { FileButton } from './file-button.tsx'
import styles from './unfinished-uploads.module.css'

/** What an earlier visit had begun to send and this device did not keep: it goes on when its file is chosen again. */
export function UnfinishedUploads({ unfinished: { left, choose, forget } }: { unfinished: LeftUploads }) {
  if (left.length === 0) return null
  return (
    <ul className={styles['list']} aria-label="Not sent to the end">
      {left.map((kept) => (
        <li key={kept.key} className={styles['row']}>
          <Unfinished kept={kept} onFile={async (file) => choose(kept, file)} onForget={() => forget(kept)} />
        </li>
      ))}
    </ul>
  )
}

function Unfinished({
  kept: { name, type, safe, size },
  onFile,
  onForget,
}: {
  kept: KeptUpload
  onFile: (file: File) => Promise<boolean>
  onForget: () => void
}) {
  const id = useId()
  const [isOther, setOther] = useState(false)
  return (
    <>
      <p className={styles['words']} id={id}>
        Continue sending <em>{name}</em> ({Math.floor((safe / size) * 100)} %)
      </p>
      {isOther && (
        <p className={styles['problem']} role="alert">
          {otherFile(name)}
        </p>
      )}
      <div className={styles['actions']}>
        <FileButton
          label={`Choose ${name}`}
          accept={accept[type]}
          onFiles={([file]) => {
            setOther(false)
            if (file) void onFile(file).then((isSame) => setOther(!isSame))
          }}
        />
        <Button look="quiet" onClick={onForget} aria-describedby={id}>
          Forget it
        </Button>
      </div>
    </>
  )
}
