import { api } from '#shared/api.ts'
import type { MediaUploaded } from '#shared/media/media.ts'
import type { MediaType } from '#shared/media/media-types.ts'
import { messages } from '#shared/messages.ts'
import { NetworkError, pathOf } from '../call.ts'
import { failureKind, retryWithBackoff, type Blocker, type Reports } from './retry.ts'
import { uploadFile } from './single-request.ts'
import type { UploadPosition } from './tus-upload.ts'
import type { UploadControl } from './upload-item.ts'

/** Files up to this size are sent in one request: a break costs seconds, and the tus script need not load. */
const SINGLE_REQUEST_MAX_BYTES = 1024 * 1024

export type SendOptions = {
  memorialId: string
  file: File
  type: MediaType
  /** Idempotency key: a repeated request does not create a second file. */
  key: string
  control: UploadControl
  /** The URL of an upload that an earlier visit started; null for a new one. */
  url: string | null
  onProgress: (bytesSent: number, bytesTotal: number) => void
  /** Called when the user or the network blocks the upload; null when it continues. */
  onBlocked: (by: Blocker | null) => void
  /** The upload's URL or the number of confirmed bytes changed. The URL is null until the server assigns one. */
  onPosition: (url: string | null, bytesSafe: number) => void
  /** The user stopped it. `isDeleted`: the server has deleted its part. */
  onStopped: (isDeleted: boolean) => void
}

/**
 * Sends one photo, video or recording to a memorial, with as many attempts as necessary. Throws `ApiError` if the
 * server refuses it, {@link LocalUploadError}, and an `AbortError` if the user stopped it, after asking the server to
 * delete its part.
 */
export async function sendMedia(options: SendOptions): Promise<MediaUploaded> {
  const { file, control, onBlocked, onStopped } = options
  const position: UploadPosition = { url: options.url, safe: 0 }
  let isAnnounced = file.size > SINGLE_REQUEST_MAX_BYTES
  try {
    return await retryWithBackoff({
      control,
      onBlocked,
      async attempt(signal, reports) {
        try {
          const send = isAnnounced ? sendInChunks : sendInOneRequest
          return await send(options, position, signal, reports)
        } catch (error) {
          // From now on it asks for room before it sends bytes, which cost the sender money.
          if (failureKind(error) === 'room') isAnnounced = true
          // Browsers report a file that was moved or deleted as a network error.
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

/** The file cannot be sent from this page, for a reason other than the server's. The message is for the user. */
export class LocalUploadError extends Error {
  override name = 'LocalUploadError'
  /** True if it can be resumed after a reload. */
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
 * Loads the script that sends in chunks. If that fails while the server answers, a newer release has been deployed,
 * or the browser refuses to load a script again that failed once.
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

/** Deletes an unfinished upload on the server. False if it was unreachable; it deletes the upload within a day itself. */
export async function deleteUploadOnServer(url: string): Promise<boolean> {
  try {
    const { deleteTusUpload } = await loadTusUpload()
    await deleteTusUpload(url)
    return true
  } catch (error) {
    return failureKind(error) === 'final'
  }
}
