import { formatBytes } from '#shared/messages.ts'
import { fileInUse } from '#client/lib/upload/check-media.ts'
import { useKeepsOriginals } from '#client/lib/upload/use-keeps-originals.ts'
import type { UploadItem } from '#client/lib/upload/upload-item.ts'

/** "3 of 5 sent · about 2.4 MB left" */
export function UploadTotal({ items }: { items: readonly UploadItem[] }) {
  const keepsOriginals = useKeepsOriginals()
  if (items.length === 0) return null
  const sent = items.filter(({ state }) => state === 'sent').length
  const left = items.reduce(
    (bytes, item) => bytes + fileInUse(item, keepsOriginals).file.size * (1 - item.progress),
    0,
  )
  return (
    <p className="small-muted">
      {sent} of {items.length} sent · about {formatBytes(Math.round(left))} left
    </p>
  )
}
