import type { Sniffed } from '#shared/sniff.ts'
import { isCleanedOnTheWay, type IntakeState } from '#worker/media-formats/file-intake.ts'

/** Where the bytes of one upload go, and how many there will be. */
export type UploadPlan = { objectKey: string; length: number }
/**
 * Where the bytes of a file of this type are gathered: at its own key, or, where tags are still to be taken out of it
 * once it is whole, below it.
 */
export function gatherKey({ objectKey }: UploadPlan, sniffed: Sniffed): string {
  return isCleanedOnTheWay(sniffed.mimeType) ? objectKey : `${objectKey}/raw`
}

/** What is kept of an upload between its requests, besides held bytes and finished parts. */
export type UploadState = {
  /** Bytes of the file that are safe: the tus offset. */
  offset: number
  /** Bytes that are in finished parts. */
  inParts: number
  r2UploadId: string | null
  intake: IntakeState
  isAssembled: boolean
}
/** Writes what is kept of an upload; part of the transaction around it. */
export function saveState(sql: SqlStorage, state: UploadState): void {
  sql.exec('INSERT OR REPLACE INTO upload (id, state) VALUES (1, ?)', JSON.stringify(state))
}
