import { useId } from 'react'
import { formatBytes } from '#shared/messages.ts'
import { chooseOriginals } from '#client/lib/upload/keep-originals.ts'
import type { UploadItem } from '#client/lib/upload/upload-item.ts'
import { useKeepsOriginals } from '#client/lib/upload/use-keeps-originals.ts'
import styles from './keep-originals.module.css'

/** Lets the user choose whether photos are resized before upload: one choice for all, with the bytes of each. */
export function KeepOriginals({ items }: { items: readonly Pick<UploadItem, 'checked' | 'state'>[] }) {
  const keeps = useKeepsOriginals()
  const hintId = useId()
  const { before, after } = totalBytes(items)
  return (
    <div className={styles.choice}>
      <label className={styles.tick}>
        <input
          type="checkbox"
          checked={keeps}
          aria-describedby={hintId}
          onChange={(event) => chooseOriginals(event.target.checked)}
        />
        <span>Keep originals{before > 0 && ` (uses about ${formatBytes(before)})`}</span>
      </label>
      <p className={`small-muted ${styles.hint}`} id={hintId}>
        {keeps
          ? 'Photos are sent just as the camera made them. This uses more data.'
          : 'Photos are made smaller before they are sent. They still look good, and use less data.'}
        {before > 0 && !keeps && ` ${formatBytes(before)} → ${formatBytes(after)}.`}
      </p>
    </div>
  )
}

/** Bytes of the photos that are not being sent yet, original and resized. */
function totalBytes(items: readonly Pick<UploadItem, 'checked' | 'state'>[]): {
  before: number
  after: number
} {
  let [before, after] = [0, 0]
  for (const { checked, state } of items) {
    if (!checked?.smaller || (state !== 'ready' && state !== 'waiting')) continue
    before += checked.original.size
    after += checked.smaller.size
  }
  return { before, after }
}
