import type { ChangeEvent } from 'react'
import styles from './file-button.module.css'

/** A button that opens the file picker. The same file can be picked again after it was removed. */
export function FileButton({
  id,
  label,
  accept,
  multiple = false,
  describedBy,
  onFiles,
}: {
  id?: string | undefined
  label: string
  accept: string
  multiple?: boolean
  describedBy?: string | undefined
  onFiles: (files: File[]) => void
}) {
  function choose(event: ChangeEvent<HTMLInputElement>) {
    const files = [...(event.target.files ?? [])]
    event.target.value = ''
    if (files.length > 0) onFiles(files)
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
        onChange={choose}
      />
      {label}
    </label>
  )
}
