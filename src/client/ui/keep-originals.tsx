import { useId } from 'react'
import { formatBytes } from '#shared/messages.ts'
import { useKeepsOriginals } from '#client/lib/keep-originals.ts'
import type { SendRow } from '#client/lib/send-row.ts'
import styles from './keep-originals.module.css'

/** Whether photographs are made smaller before they are sent: asked once for all of them, with what each way would weigh. */
export function KeepOriginals({ rows }: { rows: readonly Pick<SendRow, 'checked' | 'state'>[] }) {
  const [keeps, setKeeps] = useKeepsOriginals()
  const hintId = useId()
  const { before, after } = weights(rows)
  return (
    <div className={styles['choice']}>
      <label className={styles['tick']}>
        <input
          type="checkbox"
          checked={keeps}
          aria-describedby={hintId}
          onChange={(event) => setKeeps(event.target.checked)}
        />
        <span>Keep originals{before > 0 && ` (uses about ${formatBytes(before)})`}</span>
      </label>
      <p className={styles['hint']} id={hintId}>
        {keeps
          ? 'Photos are sent just as the camera made them. This uses more data.'
          : 'Photos are made smaller before they are sent. They still look good, and use less data.'}
        {before > 0 && !keeps && ` ${formatBytes(before)} → ${formatBytes(after)}.`}
      </p>
    </div>
  )
}

/** Bytes of the photographs that are not on their way yet, as they are and made smaller. */
function weights(rows: readonly Pick<SendRow, 'checked' | 'state'>[]): { before: number; after: number } {
  let [before, after] = [0, 0]
  for (const { checked, state } of rows) {
    if (!checked?.smaller || (state !== 'ready' && state !== 'waiting')) continue
    before += checked.original.size
    after += checked.smaller.size
  }
  return { before, after }
}
