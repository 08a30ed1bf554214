/**
 * The life of an upload, on the memorial page and in the wizard.
 *
 * 1. The user chooses a file. The screen adds an `UploadItem` (`upload-item.ts`) to an upload store (`upload-store.ts`), and
 *    `inspectUpload` checks type, size and duration and makes a smaller copy of a photo (`check-media.ts`).
 * 2. `enqueueUpload` puts it in the queue. One file is sent at a time, but if the user pauses it, the next one starts.
 * 3. While it is in the queue, the hook `useUploadQueue` persists it on this device, with the file if there is space
 *    (`persisted-uploads.ts`), and locks it, so that no other tab sends it (`upload-lock.ts`).
 * 4. `sendMedia` sends a file of up to 1 MB in one request (`single-request.ts`) and a larger one in chunks, by the tus
 *    protocol (`tus-upload.ts`). Failed attempts are retried with backoff; offline, the upload waits for a connection
 *    (`retry.ts`). The idempotency key makes sure that a repeated request does not create a second file.
 * 5. When it was sent, refused or stopped, its persisted data is deleted and the lock released. A video
 *    gets its poster (`video-poster.ts`).
 * 6. If the tab is closed before that, the next visit finds the persisted upload and resumes it after the last byte that the
 *    server has. If the device could not store the file, the user is asked to choose it again.
 */
import type { Media } from '#shared/media/media.ts'
import { ApiError, errorText, isSessionOver } from '../call.ts'
import { checkMedia, fileInUse, type CheckedMedia } from './check-media.ts'
import type { MediaRule } from './file-rules.ts'
import { deleteOtherFile, deletePersisted, markUnwanted, updatePersisted } from './persisted-uploads.ts'
import { LocalUploadError, sendMedia } from './send-media.ts'
import { isAbort } from './single-request.ts'
import { untilHalted, type UploadItem } from './upload-item.ts'
import { acquireUploadLock, releaseUploadLock } from './upload-lock.ts'
import type { UploadList } from './upload-list.ts'
import { sendPoster } from './video-poster.ts'

export type SentUpload = UploadItem & { media: Media }

export type UploadOutcome =
  | { kind: 'sent'; item: SentUpload }
  | { kind: 'failed'; error: unknown; problem: string }
  | { kind: 'stopped' }

/** The result of a turn in the queue: the outcome, or `halted` if the user paused or stopped it before. */
export type UploadResult = UploadOutcome | { kind: 'halted'; outcome: Promise<UploadOutcome> }

type Target = {
  memorialId: string
  /** Message for a failure that has none of its own. */
  failureText: string
  /** Called when a sent video has got its poster. */
  onPoster: (media: Media) => void
}

/** Running checks, by upload. */
const inspections = new Map<string, Promise<CheckedMedia>>()

/** Checks the file of an upload, which may be queued already. The caller handles a problem. */
export function inspectUpload(
  store: UploadList,
  { key, file }: UploadItem,
  rule: MediaRule,
): Promise<CheckedMedia> {
  const inspection = checkMedia(file, rule).then((checked) => {
    inspections.delete(key)
    if (!checked.problem) store.dispatch(key, { type: 'checked', checked })
    return checked
  })
  inspections.set(key, inspection)
  return inspection
}

/** Sends an upload after those before it. Does not throw. */
export function enqueueUpload(
  store: UploadList,
  { key, control }: UploadItem,
  target: Target,
): Promise<UploadResult> {
  store.dispatch(key, { type: 'queued' })
  return new Promise((resolve) => {
    store.enqueue(async () => {
      const outcome = send(store, key, target)
      const halted = untilHalted(control).then((): UploadResult => ({ kind: 'halted', outcome }))
      resolve(await Promise.race([outcome, halted]))
    })
  })
}

async function send(
  store: UploadList,
  key: string,
  { memorialId, failureText, onPoster }: Target,
): Promise<UploadOutcome> {
  const inspection = await inspections.get(key)
  const item = store.find(key)
  if (!item || item.type === null || inspection?.problem) return { kind: 'stopped' }
  const { type, control, url } = item
  const { file, original } = fileInUse(item)
  deleteOtherFile(key, file)
  store.dispatch(key, { type: 'started', file, original })
  // An upload from an earlier visit is locked already.
  await acquireUploadLock(key)
  try {
    const { id, media } = await sendMedia({
      memorialId,
      file,
      type,
      key,
      control,
      url,
      onProgress: (sent, total) =>
        store.dispatch(key, { type: 'progressed', progress: total === 0 ? 0 : sent / total }),
      onBlocked: (by) => store.dispatch(key, { type: 'blocked', by }),
      onPosition: (address, safe) => updatePersisted(key, address, safe),
      onStopped: (isDeleted) => (isDeleted ? deletePersisted(key) : markUnwanted(key)),
    })
    store.dispatch(key, { type: 'sent', media })
    deletePersisted(key)
    if (type === 'VIDEO') void addPoster(id, file, onPoster)
    return { kind: 'sent', item: { ...item, file, original, state: 'sent', media } }
  } catch (error) {
    if (isAbort(error)) return { kind: 'stopped' }
    const isLocal = error instanceof LocalUploadError
    const mayResume = isLocal ? error.canResume : isSessionOver(error)
    if (!mayResume) deletePersisted(key)
    const problem = isLocal ? error.message : errorText(error, failureText)
    store.dispatch(key, { type: 'failed', problem, canRetry: !isFileRefused(error) })
    return { kind: 'failed', error, problem }
  } finally {
    releaseUploadLock(key)
  }
}

async function addPoster(id: string, video: File, onPoster: Target['onPoster']): Promise<void> {
  const media = await sendPoster(id, video)
  if (media) onPoster(media)
}

/** True if the server refused the file itself, so that a retry cannot succeed. */
function isFileRefused(error: unknown): boolean {
  const refusals = ['bad_input', 'too_long', 'too_large', 'wrong_type']
  return error instanceof ApiError && error.code !== null && refusals.includes(error.code)
}
