import type { ChangeEvent, MouseEvent } from 'react'
import { showErrorToast } from '#client/lib/toast-store.ts'
import type { FileProblem } from '#client/lib/upload/file-rules.ts'
import styles from './file-button.module.css'

/** A button that opens the file picker. The same file can be picked again after it was removed. `refusal`: why nothing can be added. */
export function FileButton({
  id,
  label,
  accept,
  multiple = false,
  describedBy,
  refusal = null,
  onFiles,
}: {
  id?: string | undefined
  label: string
  accept: string
  multiple?: boolean
  describedBy?: string | undefined
  refusal?: FileProblem | null
  onFiles: (files: File[]) => void
}) {
  function choose(event: ChangeEvent<HTMLInputElement>) {
    const files = [...(event.target.files ?? [])]
    event.target.value = ''
    if (files.length > 0) onFiles(files)
  }
  function refuse(event: MouseEvent) {
    if (!refusal) return
    event.preventDefault()
    showErrorToast(refusal.title, refusal.text)
  }
  return (
    <label className={styles.button}>
      <input
        id={id}
        className={styles.input}
        type="file"
        accept={accept}
        multiple={multiple}
        aria-describedby={describedBy}
        // Not disabled: pressing it says why.
        data-refused={refusal ? true : undefined}
        onClick={refuse}
        onChange={choose}
      />
      {label}
    </label>
  )
}
