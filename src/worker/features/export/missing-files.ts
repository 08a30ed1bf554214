import { formatCalendarDate } from '#shared/dates.ts'
import type { Snapshot } from '#worker/features/export/snapshot.ts'

/** Text of `missing.txt` for the family: the files that storage has lost. Null if no file is missing. */
export function missingText({ archive, fileOf, exportedAt, supportEmail }: Snapshot): string | null {
  const missing = archive.files.filter((file) => fileOf(file) === null)
  if (missing.length === 0) return null
  const addedOn = (at: number) => formatCalendarDate(new Date(at).toISOString().slice(0, 10))
  return [
    'We did not find these files in our storage when this copy was made',
    `(${addedOn(exportedAt)}). Everything else is in it.`,
    '',
    `Please write to ${supportEmail}. We will look for them.`,
    '',
    ...missing.map(({ name, addedAt }) => `${name} (added on ${addedOn(addedAt)})`),
    '',
  ].join('\r\n')
}
