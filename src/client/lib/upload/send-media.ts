import { api } from '#shared/api.ts'
import type { MediaType, MediaUploaded } from '#shared/media.ts'
import { messages } from '#shared/messages.ts'
import { NetworkError, pathOf } from '../call.ts'
import { failureKind, retryWithBackoff, type Blocker, type Reports } from './retry.ts'
import { uploadFile } from './single-request.ts'
import type { UploadPosition } from './tus-upload.ts'
import type { UploadControl } from './upload-control.ts'

/** Up to this a file is sent in one request: a break costs a few seconds at most, and no further script has to be loaded. */
const SINGLE_REQUEST_MAX_BYTES = 1024 * 1024

export type SendOptions = {
  memorialId: string
  file: File
  type: MediaType
  /** Idempotency key: a repeated request does not create a second file. */
  key: string
  control: UploadControl
  /** Where an earlier visit had begun to send this file. */
  url: string | null
  onProgress: (bytesSent: number, bytesTotal: number) => void
  /** Nothing is sent until the user or the network lets it; null when it is sent again. */
  onBlocked: (by: Blocker | null) => void
  /** The address of the upload or the bytes that are safe on the server have changed. Null before it has an address. */
  onPosition: (url: string | null, bytesSafe: number) => void
  /** The user stopped it. `isDeleted`: the server has nothing of it any more. */
  onStopped: (isDeleted: boolean) => void
}

/**
 * Sends one photo, video or recording to a memorial, with as many attempts as it takes. Throws `ApiError` when the server
 * refuses it, {@link LocalUploadError}, and an `AbortError` when the user stopped it: then the server has been told to
 * delete its part.
 */
export async function sendMedia(options: SendOptions): Promise<MediaUploaded> {
  const { file, control, onBlocked, onStopped } = options
  const position: UploadPosition = { url: options.url, safe: 0 }
  const send = file.size <= SINGLE_REQUEST_MAX_BYTES ? sendInOneRequest : sendInChunks
  try {
    return await retryWithBackoff({
      control,
      onBlocked,
      async attempt(signal, reports) {
        try {
          return await send(options, position, signal, reports)
        } catch (error) {
          // To the browser, a file that was moved or deleted is a network error as well.
          if (!(error instanceof NetworkError) || (await isReadable(file))) throw error
          throw new LocalUploadError(messages.media.unreadable, false)
        }
      },
    })
  } catch (error) {
    if (control.state() === 'stopped') {
      onStopped(position.url === null || (await deleteUploadOnServer(position.url)))
    }
    throw error
  }
}

/** The file cannot be sent from this page, for a reason that is not the server's. The message is for the user. */
export class LocalUploadError extends Error {
  override name = 'LocalUploadError'
  /** Whether it can be resumed when the page has been reloaded. */
  readonly canResume: boolean

  constructor(message: string, canResume: boolean) {
    super(message)
    this.canResume = canResume
  }
}

async function sendInOneRequest(
  { memorialId, file, type, key, onProgress }: SendOptions,
  _: UploadPosition,
  signal: AbortSignal,
  { active }: Reports,
): Promise<MediaUploaded> {
  return uploadFile<MediaUploaded>({
    path: pathOf(api.uploadMedia, { params: { id: memorialId } }),
    file,
    fields: { type },
    headers: { 'Idempotency-Key': key },
    onProgress(progress) {
      active()
      onProgress(Math.round(progress * file.size), file.size)
    },
    signal,
  })
}

async function sendInChunks(
  { memorialId, file, type, key, onProgress, onPosition }: SendOptions,
  position: UploadPosition,
  signal: AbortSignal,
  { active, advanced }: Reports,
): Promise<MediaUploaded> {
  const { tusUpload } = await loadTusUpload()
  return tusUpload({
    memorialId,
    file,
    type,
    key,
    position,
    signal,
    onProgress(bytesSent, bytesTotal) {
      active()
      onProgress(bytesSent, bytesTotal)
    },
    onPosition() {
      if (position.safe > 0) advanced()
      onPosition(position.url, position.safe)
    },
  })
}

/**
 * Loads the script that sends in chunks. Where that fails although the server answers, a newer version of the app has been
 * deployed, or the browser does not request a script again that failed once.
 */
async function loadTusUpload() {
  try {
    return await import('./tus-upload.ts')
  } catch (error) {
    if (await isServerReachable()) throw new LocalUploadError(messages.media.pageOutdated, true)
    throw new NetworkError(error)
  }
}

async function isServerReachable(): Promise<boolean> {
  try {
    return (await fetch(window.location.pathname, { method: 'HEAD', cache: 'no-store' })).ok
  } catch {
    return false
  }
}

async function isReadable(file: File): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer()
    return true
  } catch {
    return false
  }
}

/** Deletes an unfinished upload on the server. False where the server could not be told; it deletes it within a day. */
export async function deleteUploadOnServer(url: string): Promise<boolean> {
  try {
    const { deleteTusUpload } = await loadTusUpload()
    await deleteTusUpload(url)
    return true
  } catch (error) {
    return failureKind(error) === 'final'
  }
}
